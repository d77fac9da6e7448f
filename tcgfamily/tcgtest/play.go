package tcgtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"vibevm.org/tcgfamily/oracleproto"
)

// oversize is over the limit for one answer.
const oversize = 64<<20 + 1<<10

// playIfOracle does not return in a process that was started as an oracle.
func playIfOracle() {
	if len(os.Args) < 2 || !strings.HasPrefix(os.Args[1], scriptFlag) {
		return
	}
	o := &Oracle{dir: strings.TrimPrefix(os.Args[1], scriptFlag)}
	p := &player{oracle: o, out: os.Stdout}
	if err := p.play(os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "fake oracle:", err)
		os.Exit(70)
	}
	os.Exit(0)
}

// player is the process of a fake oracle.
type player struct {
	oracle *Oracle
	out    *os.File
	life   Life
	root   string
}

func (p *player) play(args []string) error {
	if len(args) != 3 || args[0] != "serve" || args[1] != "--root" {
		return fmt.Errorf("started with %q, want serve --root DIR", args)
	}
	p.root = args[2]
	script, err := os.ReadFile(filepath.Join(p.oracle.dir, "script"))
	if err != nil {
		return err
	}
	var lives []Life
	if err := json.Unmarshal(script, &lives); err != nil {
		return err
	}
	if err := p.oracle.append("pids", strconv.AppendInt(nil, int64(os.Getpid()), 10)); err != nil {
		return err
	}
	pids, err := os.ReadFile(filepath.Join(p.oracle.dir, "pids"))
	if err != nil {
		return err
	}
	if len(lives) > 0 {
		p.life = lives[min(bytes.Count(pids, []byte("\n")), len(lives))-1]
	}
	if p.life.Deaf {
		signal.Ignore(syscall.SIGTERM)
		defer time.Sleep(time.Hour)
	}
	if p.life.Start.Do != Answer || p.life.Start.Stderr != "" {
		if err := p.do(p.life.Start, nil); err != nil {
			return err
		}
	}
	return p.serve(bufio.NewReader(os.Stdin))
}

func (p *player) serve(in *bufio.Reader) error {
	for n := 0; ; {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return nil // the end of input
		}
		var request oracleproto.Request
		if err := json.Unmarshal(line, &request); err != nil {
			return err
		}
		if err := p.oracle.append("requests", line); err != nil {
			return err
		}
		if request.Op == oracleproto.OpCancel {
			continue // has no answer
		}
		var act Act
		if len(p.life.Calls) > 0 {
			act = p.life.Calls[min(n, len(p.life.Calls)-1)]
		}
		n++
		if err := p.do(act, &request); err != nil {
			return err
		}
	}
}

// do does one act, at a request or, with nil, at the start.
func (p *player) do(act Act, request *oracleproto.Request) error {
	if _, err := io.WriteString(os.Stderr, act.Stderr); err != nil {
		return err
	}
	switch act.Do {
	case Crash:
		os.Exit(act.Code)
	case Cut:
		frame, _ := p.answer(act, request)
		_, _ = p.out.Write(frame[:len(frame)/2])
		os.Exit(act.Code)
	case Ignore:
		return nil
	case Hang:
		time.Sleep(time.Hour)
	case CloseOut:
		return p.out.Close()
	case NullID:
		return p.send(oracleproto.Response{Proto: oracleproto.Version, Error: act.Error})
	case Refuse:
		err := p.send(oracleproto.Response{Proto: oracleproto.Version, ID: &request.ID, Error: act.Error})
		if act.Error.Kind == oracleproto.KindOracleCrashed {
			os.Exit(0)
		}
		return err
	case Wait:
		for {
			if _, err := os.Stat(act.Until); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
	case Garbage:
		_, _ = p.out.WriteString("listening on stdio...\n")
	case Blank:
		_, _ = p.out.WriteString("\n \r\n")
	case Oversized:
		_, _ = p.out.WriteString(strings.Repeat("x", oversize) + "\n")
	case WrongID:
		id := request.ID + 1000
		if err := p.send(oracleproto.Response{Proto: oracleproto.Version, ID: &id, OK: true, Result: json.RawMessage(`{"stale":true}`)}); err != nil {
			return err
		}
	case Answer:
	default:
		return fmt.Errorf("unknown deed %q", act.Do)
	}
	if request == nil {
		return nil
	}
	frame, err := p.answer(act, request)
	if err == nil {
		_, err = p.out.Write(frame)
	}
	return err
}

func (p *player) answer(act Act, request *oracleproto.Request) ([]byte, error) {
	result := act.Result
	if result == nil {
		dir, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		echo := Echo{Pid: os.Getpid(), Root: p.root, Dir: dir, Op: request.Op, Params: request.Params}
		if result, err = json.Marshal(echo); err != nil {
			return nil, err
		}
	}
	return frame(oracleproto.Response{Proto: oracleproto.Version, ID: &request.ID, OK: true, Result: result})
}

func (p *player) send(response oracleproto.Response) error {
	b, err := frame(response)
	if err == nil {
		_, err = p.out.Write(b)
	}
	return err
}

func frame(response oracleproto.Response) ([]byte, error) {
	b, err := json.Marshal(response)
	return append(b, '\n'), err
}
