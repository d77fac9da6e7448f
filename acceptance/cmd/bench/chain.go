package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vibevm.org/acceptance/mcppipe"
	"vibevm.org/acceptance/proctable"
	"vibevm.org/acceptance/tsproject"
)

// benchChain measures the whole chain (host, server, relay, compiler) against
// the compiler alone, on the sample project and on a repository.
func benchChain(ctx context.Context, repo, config string, samples int) error {
	sample, done, err := sampleSubject()
	if err != nil {
		return err
	}
	defer done()
	subjects := []subject{sample}
	if repo != "" {
		s, err := repositorySubject(repo, config)
		if err != nil {
			return err
		}
		subjects = append(subjects, s)
	}
	for _, s := range subjects {
		if err := s.measure(ctx, samples); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// subject is a project and the files that are asked about.
type subject struct {
	name    string
	project *tsproject.Project
	config  string
	files   []string
}

// sampleSubject is a fresh copy of the sample project; done removes it.
func sampleSubject() (s subject, done func(), err error) {
	scratch, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return s, nil, err
	}
	done = func() { _ = os.RemoveAll(scratch) }
	defer func() {
		if err != nil {
			done()
		}
	}()
	shop, err := tsproject.Copy(filepath.Join(scratch, "ts-shop"))
	if err != nil {
		return s, nil, err
	}
	installed, err := tsproject.Installed("typescript")
	if err != nil {
		return s, nil, err
	}
	err = shop.Install(filepath.Join(installed, "node_modules"))
	return subject{name: "ts-shop", project: shop, config: "tsconfig.json", files: []string{"src/pricing/quote.ts"}}, done, err
}

// repositorySubject picks files of a repository: of its TypeScript sources by
// size, the ones at the median, at nine tenths, and the largest.
func repositorySubject(dir, config string) (subject, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return subject{}, err
	}
	type source struct {
		path string
		size int64
	}
	var sources []source
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if name == "node_modules" || strings.HasPrefix(name, ".") {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if !strings.HasPrefix(rel, "src/") || !strings.HasSuffix(name, ".ts") || strings.HasSuffix(name, ".d.ts") || strings.Contains(name, ".test.") {
			return nil
		}
		info, err := entry.Info()
		sources = append(sources, source{rel, info.Size()})
		return err
	})
	if err != nil {
		return subject{}, err
	}
	if len(sources) == 0 {
		return subject{}, fmt.Errorf("%s has no src/**/*.ts", dir)
	}
	slices.SortFunc(sources, func(a, b source) int { return int(a.size - b.size) })
	s := subject{name: fmt.Sprintf("%s (%d source files)", filepath.Base(dir), len(sources)), project: &tsproject.Project{Dir: dir}, config: config}
	for _, i := range []int{len(sources) / 2, len(sources) * 9 / 10, len(sources) - 1} {
		s.files = append(s.files, sources[i].path)
	}
	return s, nil
}

// pair are the two contestants on one project.
type pair struct {
	chain *rpcClient
	lsp   *lspClient
}

func (s subject) compiler() string { return tsproject.Compiler(s.project.Path("node_modules")) }

func (s subject) server() (mcppipe.Server, error) {
	root, err := tsproject.Repository()
	if err != nil {
		return mcppipe.Server{}, err
	}
	return mcppipe.Server{Path: filepath.Join(root, "bin", "typescript-ai-native-mcp"), Args: []string{"--path", s.project.Dir}}, nil
}

func (s subject) measure(ctx context.Context, samples int) error {
	fmt.Printf("\nThe chain on %s: medians of %d questions each, the compiler asked alternately\n\n", s.name, samples)
	rows := [][]string{{"question", "chain, ms", "LSP alone, ms", "paired ratio", "difference, ms", "tsc --noEmit, ms", "tsc ÷ chain"}}
	cold, err := s.measureCold(ctx)
	if err != nil {
		return err
	}
	full, err := s.measureTsc(ctx)
	if err != nil {
		return err
	}
	rows = append(rows, cold.row("cold: start to first verdict, "+s.files[0], full))

	p, err := s.start(ctx)
	if err != nil {
		return err
	}
	defer p.lsp.stop()
	defer p.chain.stop()
	for _, file := range s.files {
		text, err := s.project.Read(file)
		if err != nil {
			return err
		}
		for _, q := range questionsAbout(text) {
			figures, err := q.measure(p, file, samples)
			if err != nil {
				return fmt.Errorf("%s: %w", q.title, err)
			}
			tsc := 0.0
			if q.tool == "tcg_validate" {
				tsc = full
			}
			rows = append(rows, figures.row(q.title+", "+file, tsc))
		}
	}
	printTable(os.Stdout, rows)
	s.printMemory(p)
	return nil
}

func (s subject) start(ctx context.Context) (pair, error) {
	server, err := s.server()
	if err != nil {
		return pair{}, err
	}
	chain, err := startRPC(ctx, s.project.Dir, true, server.Path, server.Args...)
	if err != nil {
		return pair{}, err
	}
	if _, err := chain.request("initialize", object{"protocolVersion": "2024-11-05", "capabilities": object{}, "clientInfo": object{"name": "bench", "version": "1"}}); err != nil {
		return pair{}, err
	}
	lsp, err := startLSP(ctx, s.compiler(), s.project.Dir)
	return pair{chain, lsp}, err
}

// comparison holds figures of both contestants, taken in pairs.
type comparison struct{ chain, lsp []float64 }

func (c comparison) row(title string, tsc float64) []string {
	var ratios, differences []float64
	for i := range c.lsp {
		ratios = append(ratios, c.chain[i]/c.lsp[i])
		differences = append(differences, c.chain[i]-c.lsp[i])
	}
	chain := median(slices.Clone(c.chain))
	row := []string{title, fmt.Sprintf("%.2f", chain), "–", "–", "–", "–", "–"}
	if len(c.lsp) > 0 {
		row[2] = fmt.Sprintf("%.2f", median(slices.Clone(c.lsp)))
		row[3], row[4] = fmt.Sprintf("%.2f×", median(ratios)), fmt.Sprintf("%+.2f", median(differences))
	}
	if tsc > 0 {
		row[5], row[6] = fmt.Sprintf("%.0f", tsc), fmt.Sprintf("%.0f×", tsc/chain)
	}
	return row
}

// measureCold times a new process up to its first verdict.
func (s subject) measureCold(ctx context.Context) (comparison, error) {
	var c comparison
	text, err := s.project.Read(s.files[0])
	if err != nil {
		return c, err
	}
	server, err := s.server()
	if err != nil {
		return c, err
	}
	for range 7 {
		began := time.Now()
		session, err := mcppipe.Start(server)
		if err != nil {
			return c, err
		}
		_, err = session.Initialize(ctx)
		if err == nil {
			_, err = session.CallTool(ctx, "tcg_validate", map[string]any{"file": s.files[0], "content": text})
		}
		c.chain = append(c.chain, ms(began))
		if err := errors.Join(err, session.Close(ctx)); err != nil {
			return c, err
		}
		began = time.Now()
		lsp, err := startLSP(ctx, s.compiler(), s.project.Dir)
		if err != nil {
			return c, err
		}
		_, err = lsp.validate(s.files[0], text)
		c.lsp = append(c.lsp, ms(began))
		lsp.stop()
		if err != nil {
			return c, err
		}
	}
	return c, nil
}

func (s subject) measureTsc(ctx context.Context) (float64, error) {
	var taken []float64
	for range 3 {
		began := time.Now()
		if _, err := tsproject.Check(ctx, s.compiler(), s.project.Dir, s.config); err != nil {
			return 0, err
		}
		taken = append(taken, ms(began))
	}
	return median(taken), nil
}

// printMemory prints the peak of each process of both contestants.
func (s subject) printMemory(p pair) {
	mib := func(process proctable.Process) float64 { return float64(process.PeakRSS) / (1 << 20) }
	server, ok := proctable.Get(p.chain.cmd.Process.Pid)
	if !ok {
		return // the process table cannot be read here
	}
	fmt.Printf("\npeak RSS, MiB: server %.1f", mib(server))
	for _, relay := range proctable.ChildrenOf(server.Pid) {
		fmt.Printf(", relay %.1f", mib(relay))
		for _, compiler := range proctable.ChildrenOf(relay.Pid) {
			fmt.Printf(", its compiler %.0f", mib(compiler))
		}
	}
	if alone, ok := proctable.Get(p.lsp.cmd.Process.Pid); ok {
		fmt.Printf("; the compiler alone %.0f", mib(alone))
	}
	fmt.Println()
}
