package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vibevm.org/acceptance/mcppipe"
	"vibevm.org/acceptance/proctable"
	"vibevm.org/acceptance/tsproject"
)

// measuredReleases are the versions of TypeScript that a repository is
// measured with.
var measuredReleases = []func() (tsproject.Release, error){
	func() (tsproject.Release, error) { return tsproject.ReleaseOnNode("5.9.3") },
	func() (tsproject.Release, error) { return tsproject.ReleaseOnNode("6.0.3") },
	tsproject.Release7,
}

// benchReleases measures a repository with each version of TypeScript: cold
// and warm answers, and a whole `tsc --noEmit` of the same version in between.
// The files are those of a package of the repository, which may be all of it.
func benchReleases(ctx context.Context, repo, pkg, config string, samples int) error {
	scratch, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	if repo, err = filepath.Abs(repo); err != nil {
		return err
	}
	dir := filepath.Join(scratch, filepath.Base(repo))
	if err := tsproject.CopyRepository(repo, dir); err != nil {
		return err
	}
	s, err := repositorySubject(filepath.Join(dir, pkg), config)
	if err != nil {
		return err
	}
	fmt.Printf("\n%s with %s: medians / 95th percentiles of %d questions each, ms\n\n", s.name, config, samples)
	rows := [][]string{{"typescript, file", "cold", "validate", "complete, 50 with types", "type", "over the compiler's own", "scope", "tsc --noEmit", "tsc ÷ validate", "peak RSS, MiB"}}
	for _, release := range measuredReleases {
		r, err := release()
		if err != nil {
			return err
		}
		more, err := s.measureRelease(ctx, r, samples)
		if err != nil {
			return fmt.Errorf("typescript %s: %w", r.Version, err)
		}
		rows = append(rows, more...)
	}
	printTable(os.Stdout, rows)
	return nil
}

// measureRelease measures the subject with one version, a row for each file.
func (s subject) measureRelease(ctx context.Context, r tsproject.Release, samples int) ([][]string, error) {
	if err := s.use(r); err != nil {
		return nil, err
	}
	full, err := s.timeTsc(ctx, r)
	if err != nil {
		return nil, err
	}
	var rows [][]string
	for _, file := range s.files {
		row, err := s.measureFile(ctx, r, file, full, samples)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// use makes a release the subject's typescript.
func (s subject) use(r tsproject.Release) error {
	for _, name := range []string{"typescript", "@typescript"} {
		if err := os.RemoveAll(s.project.Path("node_modules/" + name)); err != nil {
			return err
		}
	}
	return r.LinkInto(s.project.Dir)
}

func (s subject) timeTsc(ctx context.Context, r tsproject.Release) (float64, error) {
	var taken []float64
	for range 3 {
		began := time.Now()
		if _, err := r.Tsc(ctx, s.project.Dir, "--noEmit", "-p", s.config); err != nil {
			return 0, err
		}
		taken = append(taken, ms(began))
	}
	return median(taken), nil
}

// measureFile asks a server of its own about one file, so that the memory is
// that file's.
func (s subject) measureFile(ctx context.Context, r tsproject.Release, file string, full float64, samples int) ([]string, error) {
	text, err := s.project.Read(file)
	if err != nil {
		return nil, err
	}
	cold, err := s.timeCold(ctx, file, text)
	if err != nil {
		return nil, err
	}
	server, err := s.server()
	if err != nil {
		return nil, err
	}
	chain, err := startRPC(ctx, s.project.Dir, true, server.Path, server.Args...)
	if err != nil {
		return nil, err
	}
	defer chain.stop()
	if _, err := chain.request("initialize", object{"protocolVersion": "2024-11-05", "capabilities": object{}, "clientInfo": object{"name": "bench", "version": "1"}}); err != nil {
		return nil, err
	}
	alone, err := startAlone(ctx, s, r)
	if err != nil {
		return nil, err
	}
	defer alone.stop()
	row := []string{r.Version + ", " + file, fmt.Sprintf("%.0f", cold)}
	validate := 0.0
	for _, q := range questionsAbout(text) {
		if q.title == "validate, clean" || q.title == "validate, syntax error" {
			continue
		}
		var taken, over []float64
		const warmUp = 5
		for i := range samples + warmUp {
			asked, err := q.askChain(chain, file, q.variant(i))
			if err != nil {
				return nil, err
			}
			if i < warmUp {
				continue
			}
			taken = append(taken, asked.ms)
			if q.tool == "tcg_type" {
				own, err := alone.timeType(file, q.variant(i), q.line, q.character)
				if err != nil {
					return nil, err
				}
				over = append(over, asked.ms-own)
			}
		}
		row = append(row, fmt.Sprintf("%.1f / %.1f", quantile(taken, 0.5), quantile(taken, 0.95)))
		switch q.tool {
		case "tcg_validate":
			validate = quantile(taken, 0.5)
		case "tcg_type":
			row = append(row, fmt.Sprintf("%+.2f", median(over)))
		}
	}
	return append(row, fmt.Sprintf("%.0f", full), fmt.Sprintf("%.0f×", full/validate), fmt.Sprintf("%.0f", compilerRSS(chain))), nil
}

func (s subject) timeCold(ctx context.Context, file, text string) (float64, error) {
	server, err := s.server()
	if err != nil {
		return 0, err
	}
	var taken []float64
	for range 3 {
		began := time.Now()
		session, err := mcppipe.Start(server)
		if err != nil {
			return 0, err
		}
		_, err = session.Initialize(ctx)
		if err == nil {
			_, err = session.CallTool(ctx, "tcg_validate", object{"file": file, "content": text})
		}
		taken = append(taken, ms(began))
		if err := errors.Join(err, session.Close(ctx)); err != nil {
			return 0, err
		}
	}
	return median(taken), nil
}

// compilerRSS is the peak of the compiler behind a server, in MiB.
func compilerRSS(chain *rpcClient) float64 {
	peak := 0.0
	for _, relay := range proctable.ChildrenOf(chain.cmd.Process.Pid) {
		for _, compiler := range proctable.ChildrenOf(relay.Pid) {
			peak = max(peak, float64(compiler.PeakRSS)/(1<<20))
		}
	}
	return peak
}

// alone is a version's own compiler with nothing of ours in between.
type alone struct {
	lsp  *lspClient // of 7
	node *rpcClient // before it: a language service and nothing else
	dir  string
}

func startAlone(ctx context.Context, s subject, r tsproject.Release) (alone, error) {
	if r.Native() {
		lsp, err := startLSP(ctx, tsproject.Compiler(filepath.Dir(r.Dir)), s.project.Dir)
		return alone{lsp: lsp}, err
	}
	root, err := tsproject.Repository()
	if err != nil {
		return alone{}, err
	}
	script := filepath.Join(root, "acceptance", "cmd", "bench", "languageservice.cjs")
	node, err := startRPC(ctx, s.project.Dir, true, "node", script, r.Dir, filepath.Join(s.project.Dir, s.config))
	return alone{node: node, dir: s.project.Dir}, err
}

func (a alone) stop() {
	if a.lsp != nil {
		a.lsp.stop()
	} else {
		a.node.stop()
	}
}

// timeType times the type at a place of a text.
func (a alone) timeType(file, text string, line, character int) (float64, error) {
	began := time.Now()
	if a.lsp != nil {
		err := a.lsp.hover(file, text, line, character)
		return ms(began), err
	}
	lines := strings.SplitAfter(text, "\n")
	offset := len(strings.Join(slices.Clone(lines[:line-1]), "")) + character
	_, err := a.node.request("quickInfo", object{"file": filepath.Join(a.dir, file), "text": text, "offset": offset})
	return ms(began), err
}
