package tcgcli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"vibevm.org/adapters/oracle/relay"
	"vibevm.org/tcgfamily/oracleproto"
)

// ask makes the one-shot command of an operation: a fresh relay, one question,
// the answer printed.
func ask(op string) func(context.Context, *invocation) (int, error) {
	return func(ctx context.Context, inv *invocation) (int, error) {
		params, err := inv.params(op)
		if usage := (usageError{}); errors.As(err, &usage) {
			return ExitUsage, err
		}
		if err != nil {
			return ExitErrors, err
		}
		ctx, cancel := context.WithTimeout(ctx, inv.options.timeout)
		defer cancel()
		r := relay.New(inv.program.Language, inv.options.root)
		result, err := r.Do(ctx, op, params)
		closeErr := r.Close()
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return ExitUnknown, &oracleproto.Error{
				Kind:   oracleproto.KindTimeout,
				Detail: fmt.Sprintf("no answer within %v", inv.options.timeout),
				Recipe: fmt.Sprintf("give it longer: --timeout %v", max(2*inv.options.timeout, defaultTimeout)),
			}
		case errors.Is(err, context.Canceled):
			return ExitErrors, &oracleproto.Error{
				Kind:   oracleproto.KindCancelled,
				Detail: "a signal ended the question before its answer",
				Recipe: "run the command again",
			}
		case err != nil:
			return ExitErrors, err
		}
		if err := inv.print(result); err != nil {
			return ExitErrors, err
		}
		return exitCode(result), closeErr
	}
}

// params builds the operation's params from the flags. An operation ignores
// the members that are not its own.
func (inv *invocation) params(op string) (json.RawMessage, error) {
	p := map[string]any{"file": inv.file}
	o := inv.options
	if o.contentFrom != "" {
		content, err := inv.read(o.contentFrom)
		if err != nil {
			return nil, err
		}
		p["content"] = content
	}
	switch at, err := oracleproto.ParsePosition(o.position); {
	case o.position == "" && op != oracleproto.OpScope && op != oracleproto.OpValidate:
		return nil, usageError{"it needs --position LINE:CHARACTER, such as --position 12:7"}
	case o.position == "":
	case err != nil:
		return nil, usageError{fmt.Sprintf("--position: %v; write it as --position 12:7", err)}
	default:
		p["position"] = at
	}
	switch op {
	case oracleproto.OpComplete:
		p["prefix"], p["max"] = o.prefix, o.max
	case oracleproto.OpScope:
		p["globals"] = o.globals
	case oracleproto.OpValidate:
		switch oracleproto.Depth(o.depth) {
		case "", oracleproto.DepthAuto, oracleproto.DepthNative, oracleproto.DepthFull:
			p["depth"], p["tests"] = o.depth, o.tests
		default:
			return nil, usageError{fmt.Sprintf("--depth %.40q is not one of auto, native, full", o.depth)}
		}
	}
	return json.Marshal(p)
}

// usageError is a flag that was understood but cannot be meant.
type usageError struct{ text string }

// Error says what to write instead.
func (e usageError) Error() string { return e.text }

// maxContent bounds --content-from, in bytes; the relay's own limit on texts
// is lower and gives the reason.
const maxContent = 64 << 20

func (inv *invocation) read(path string) (string, error) {
	in := inv.streams.In
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return "", fmt.Errorf("--content-from: %w", err)
		}
		defer f.Close()
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, maxContent))
	if err != nil {
		return "", fmt.Errorf("--content-from %s: %w", path, err)
	}
	return string(b), nil
}

// exitCode maps a verdict to the exit code; only a validate has one.
func exitCode(result any) int {
	v, ok := result.(oracleproto.ValidateResult)
	if !ok {
		return ExitClean
	}
	for _, f := range v.ConformFindings {
		if !f.Baselined {
			return ExitErrors
		}
	}
	switch v.Verdict {
	case oracleproto.VerdictClean:
		return ExitClean
	case oracleproto.VerdictErrors:
		return ExitErrors
	}
	return ExitUnknown
}
