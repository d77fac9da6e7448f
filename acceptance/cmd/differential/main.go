// Command differential compares the TypeScript server with tsc on a real
// repository: it makes random mutations, asks the server about each as content
// that is on no disk, writes it to a copy of the repository, runs the
// repository's own tsc and compares every line, character, code and message.
// With -whole it asks about every file as it is instead. The repository itself
// is only read. `make differential` runs it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"vibevm.org/acceptance/differential"
	"vibevm.org/acceptance/mcppipe"
	"vibevm.org/acceptance/tsproject"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var o options
	flag.StringVar(&o.repo, "repo", "", "the repository in `DIR`, its packages installed")
	flag.StringVar(&o.config, "config", "tsconfig.json", "mutate the files that this tsconfig covers")
	flag.StringVar(&o.typescript, "typescript", "", "the typescript package in `DIR` instead of the repository's own")
	flag.IntVar(&o.n, "n", 200, "how many mutations")
	flag.Uint64Var(&o.seed, "seed", 1, "the same seed makes the same mutations")
	flag.IntVar(&o.workers, "workers", 2, "runs of tsc at once")
	flag.BoolVar(&o.whole, "whole", false, "ask about every file as it is instead")
	flag.Parse()
	equal, err := o.run(ctx)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "differential:", err)
		os.Exit(2)
	case !equal:
		os.Exit(1)
	}
}

type options struct {
	repo, config, typescript string
	n, workers               int
	seed                     uint64
	whole                    bool
}

func (o options) run(ctx context.Context) (equal bool, err error) {
	if o.repo == "" {
		return false, errors.New("no repository; run: make differential REPO=DIR")
	}
	temp, err := os.MkdirTemp("", "differential-")
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	var copies []*tsproject.Project
	for i := range o.workers + 1 {
		project, err := copyRepository(o.repo, filepath.Join(temp, fmt.Sprintf("%03d", i), filepath.Base(o.repo)))
		if err != nil {
			return false, err
		}
		if o.typescript != "" {
			if err := replaceTypeScript(project, o.typescript); err != nil {
				return false, err
			}
		}
		copies = append(copies, project)
	}
	release, err := releaseOf(copies[0], o.config)
	if err != nil {
		return false, err
	}
	files, err := covered(ctx, copies[0], release, o.config)
	if err != nil {
		return false, err
	}
	fmt.Printf("%s: typescript %s, %d files in %s\n", filepath.Base(o.repo), release.Version, len(files), o.config)
	edits, err := o.edits(copies[0], files)
	if err != nil {
		return false, err
	}
	answers, err := ask(ctx, copies[0], edits)
	if err != nil {
		return false, err
	}
	list, err := o.compile(ctx, copies[1:], release, files, edits, answers)
	if err != nil {
		return false, err
	}
	what := fmt.Sprintf("mutations (seed %d)", o.seed)
	if o.whole {
		what = "files"
	}
	return report(what, list), nil
}

// edits are the mutations, or every file as it is.
func (o options) edits(project *tsproject.Project, files []string) ([]differential.Edit, error) {
	var edits []differential.Edit
	if o.whole {
		for _, file := range files {
			text, err := project.Read(file)
			if err != nil {
				return nil, err
			}
			edits = append(edits, differential.Edit{Name: "as it is", File: file, Text: text})
		}
		return edits, nil
	}
	random := rand.New(rand.NewPCG(o.seed, 0))
	// Every kind of mutation is as likely as any other, however rare its places.
	for kinds, n := slices.Clone(rules), 0; len(edits) < o.n; n++ {
		if len(kinds) == 0 {
			return nil, fmt.Errorf("no mutation has a place in the files that %s covers", o.config)
		}
		at := n % len(kinds)
		edit, ok, err := anywhere(project, files, kinds[at], random)
		if err != nil {
			return nil, err
		}
		if ok {
			edits = append(edits, edit)
		} else {
			kinds = slices.Delete(kinds, at, at+1)
		}
	}
	return edits, nil
}

// anywhere applies a rule in a random file that has a place for it; ok is false
// when none was found.
func anywhere(project *tsproject.Project, files []string, r rule, random *rand.Rand) (edit differential.Edit, ok bool, err error) {
	for range 100 {
		file := files[random.IntN(len(files))]
		text, err := project.Read(file)
		if err != nil {
			return edit, false, err
		}
		if mutated, ok := mutate(newSource(text), r, random); ok {
			return differential.Edit{Name: r.name, File: file, Text: mutated}, true, nil
		}
	}
	return edit, false, nil
}

// together is how many mutations may share a run of tsc.
const together = 20

// patience bounds one question and one run of tsc.
const patience = 5 * time.Minute

// ask asks the server about every edit.
func ask(ctx context.Context, project *tsproject.Project, edits []differential.Edit) (answers []differential.Answer, err error) {
	server, err := server()
	if err != nil {
		return nil, err
	}
	session, err := mcppipe.Start(mcppipe.Server{Path: server, Args: []string{"--path", project.Dir}})
	if err != nil {
		return nil, err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
		defer cancel()
		err = errors.Join(err, session.Close(ctx), session.Violation())
	}()
	if _, err := session.Initialize(ctx); err != nil {
		return nil, err
	}
	began := time.Now()
	for _, edit := range edits {
		answer, err := askPatiently(ctx, session, project.Dir, edit)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", edit.Name, err)
		}
		answers = append(answers, answer)
	}
	fmt.Printf("asked %d times in %.1f s\n", len(edits), time.Since(began).Seconds())
	return answers, nil
}

// askPatiently asks again while the compiler is loading.
func askPatiently(ctx context.Context, session *mcppipe.Session, dir string, edit differential.Edit) (differential.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		answer, err := differential.Ask(ctx, session, dir, edit)
		if err != nil || answer.Reason != "warming" && answer.Reason != "timeout" {
			return answer, err
		}
	}
}

func server() (string, error) {
	root, err := tsproject.Repository()
	if err != nil {
		return "", err
	}
	path, err := exec.LookPath(filepath.Join(root, "bin", "typescript-ai-native-mcp"))
	if err != nil {
		return "", fmt.Errorf("%w; run: make build", err)
	}
	return path, nil
}

// compile asks tsc, with the configuration that each answer named.
func (o options) compile(ctx context.Context, copies []*tsproject.Project, release tsproject.Release, files []string, edits []differential.Edit, answers []differential.Answer) ([]comparison, error) {
	byConfig := map[string][]int{}
	var configs []string
	for i, answer := range answers {
		config := answer.Config
		if config == "" {
			config = o.config
		}
		if byConfig[config] == nil {
			configs = append(configs, config)
		}
		byConfig[config] = append(byConfig[config], i)
	}
	list := make([]comparison, len(edits))
	for _, config := range configs {
		began := time.Now()
		truth, err := differential.NewTruth(ctx, copies, compiler(release, config), together, files)
		if err != nil {
			return nil, err
		}
		if found := truth.Baseline(); len(found) > 0 {
			fmt.Printf("tsc -p %s finds %d errors in the repository as it is, the first is %s\n", config, len(found), strings.SplitN(found[0], "\n", 2)[0])
		}
		if err := fill(ctx, list, byConfig[config], truth, edits, answers, o.whole); err != nil {
			return nil, err
		}
		fmt.Printf("\ntsc -p %s: %d runs in %.1f s\n", config, truth.Runs.Load(), time.Since(began).Seconds())
	}
	return list, nil
}

func fill(ctx context.Context, list []comparison, indexes []int, truth *differential.Truth, edits []differential.Edit, answers []differential.Answer, whole bool) error {
	var of []differential.Edit
	for _, i := range indexes {
		of = append(of, edits[i])
	}
	said := make([][]tsproject.Diagnostic, len(of))
	if whole {
		for n, edit := range of {
			said[n] = truth.About(edit.File)
		}
	} else {
		var err error
		if said, err = truth.Of(ctx, of, func(n int) differential.Kind { return answers[indexes[n]].Guess() }); err != nil {
			return err
		}
	}
	for n, i := range indexes {
		list[i] = comparison{edits[i], answers[i], said[n]}
	}
	return nil
}

// compiler runs tsc and shows on stderr that it goes on.
func compiler(release tsproject.Release, config string) differential.Compiler {
	return func(ctx context.Context, project *tsproject.Project) ([]tsproject.Diagnostic, error) {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		defer fmt.Fprint(os.Stderr, ".")
		return release.Tsc(ctx, project.Dir, "--noEmit", "-p", config)
	}
}
