package differential

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"vibevm.org/acceptance/tsproject"
)

// Compiler prints what tsc finds in a project.
type Compiler func(ctx context.Context, project *tsproject.Project) ([]tsproject.Diagnostic, error)

// Truth asks the compiler about edits, several at once where that cannot change
// the answer: each edit is written to a copy of the project, the compiler is
// run, and the copy is restored.
//
// tsc stops at syntax errors of the whole program before it checks types, and
// looks for errors of declaration emit only in a program that has no others.
// So of a run with several edits in it
//   - what it prints about a file is exact: its own errors decide what is hidden
//     among them, if no edited file can be felt in another edited one;
//   - that it prints nothing about a file is exact only when nothing was hidden:
//     the run printed nothing at all, or printed again an error that the
//     project has without any edit.
//
// What is not exact goes into a smaller run, in the end alone.
type Truth struct {
	// Projects are copies of the project; as many runs go on at once.
	Projects []*tsproject.Project
	Compile  Compiler
	// Together is how many edits may share a run; 1 for a compiler that is
	// faster than thinking about it.
	Together int
	// Runs counts the runs of the compiler so far.
	Runs atomic.Int32

	graph    *graph
	asIs     []tsproject.Diagnostic // errors of the project as it is
	baseline []string               // the same, rendered
}

// NewTruth looks at the project as it is, in the first of its copies. The files
// are those that imports can lead to.
func NewTruth(ctx context.Context, projects []*tsproject.Project, compile Compiler, together int, files []string) (*Truth, error) {
	t := &Truth{Projects: projects, Compile: compile, Together: together}
	texts := map[string]string{}
	for _, file := range files {
		text, err := projects[0].Read(file)
		if err != nil {
			return nil, err
		}
		texts[file] = text
	}
	t.graph = newGraph(texts)
	var err error
	if t.asIs, err = t.run(ctx, projects[0]); err != nil {
		return nil, err
	}
	for _, d := range t.asIs {
		t.baseline = append(t.baseline, render(projects[0], d))
	}
	return t, nil
}

// Baseline is what the compiler prints about the project as it is.
func (t *Truth) Baseline() []string { return t.baseline }

// About is what the compiler prints about a file of the project as it is.
func (t *Truth) About(file string) []tsproject.Diagnostic {
	return about(file, t.Projects[0].Dir, t.asIs)
}

func (t *Truth) run(ctx context.Context, project *tsproject.Project) ([]tsproject.Diagnostic, error) {
	t.Runs.Add(1)
	return t.Compile(ctx, project)
}

// Of returns what the compiler prints about the file of each edit. The kinds
// are guesses that only save runs: edits of one kind are tried together first.
// Afterwards nothing is left that ends a compilation early, so that it only
// matters whether an edit may be silent.
func (t *Truth) Of(ctx context.Context, edits []Edit, kind func(i int) Kind) ([][]tsproject.Diagnostic, error) {
	truth := make([][]tsproject.Diagnostic, len(edits))
	pending := make([]int, len(edits))
	for i := range edits {
		pending[i] = i
		t.graph.add(edits[i].File) // it may be new
	}
	for round, together := 0, t.Together; len(pending) > 0; round++ {
		if round > 1 {
			together = max(1, together/5)
		}
		guess := func(i int) Kind {
			if k := kind(i); round == 0 || k == Silent {
				return k
			}
			return Semantic
		}
		slices.SortStableFunc(pending, func(a, b int) int { return cmp.Compare(guess(a), guess(b)) })
		var err error
		if pending, err = t.round(ctx, edits, t.batches(edits, pending, guess, together), truth); err != nil {
			return nil, err
		}
	}
	return truth, nil
}

// round runs the compiler on every batch and returns the edits about which it
// said nothing for sure.
func (t *Truth) round(ctx context.Context, edits []Edit, batches [][]int, truth [][]tsproject.Diagnostic) (unsure []int, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	todo := make(chan []int, len(batches))
	for _, batch := range batches {
		todo <- batch
	}
	close(todo)
	var (
		wg sync.WaitGroup
		mu sync.Mutex
	)
	for _, project := range t.Projects {
		wg.Go(func() {
			for batch := range todo {
				exact, err := t.compile(ctx, project, edits, batch, truth)
				if err != nil {
					cancel(err)
					return
				}
				for _, i := range batch {
					if !exact && len(truth[i]) == 0 {
						mu.Lock()
						unsure = append(unsure, i)
						mu.Unlock()
					}
				}
			}
		})
	}
	wg.Wait()
	slices.Sort(unsure)
	return unsure, context.Cause(ctx)
}

// batches groups edits of one kind that cannot be felt in each other.
func (t *Truth) batches(edits []Edit, pending []int, kind func(i int) Kind, together int) [][]int {
	var batches [][]int
	reach := map[int]map[string]bool{}
	for _, i := range pending {
		reach[i] = t.graph.reach(edits[i])
	}
	alone := func(i int) bool {
		before, _ := t.Projects[0].Read(edits[i].File)
		return everywhere(edits[i].Text) || before != "" && everywhere(before)
	}
	open := 0 // the first batch of the current kind
	for n, i := range pending {
		if n > 0 && kind(pending[n-1]) != kind(i) {
			open = len(batches)
		}
		fits := func(batch []int) bool {
			return len(batch) < together && !alone(i) && !slices.ContainsFunc(batch, func(j int) bool {
				return alone(j) || reach[i][edits[j].File] || reach[j][edits[i].File]
			})
		}
		if at := slices.IndexFunc(batches[open:], fits); at >= 0 {
			batches[open+at] = append(batches[open+at], i)
			continue
		}
		batches = append(batches, []int{i})
	}
	return batches
}

// compile runs the compiler on a batch and fills in the truth. It reports
// whether silence about a file was exact.
func (t *Truth) compile(ctx context.Context, project *tsproject.Project, edits []Edit, batch []int, truth [][]tsproject.Diagnostic) (exact bool, err error) {
	restore := map[string]*string{}
	defer func() { err = errors.Join(err, restoreTexts(project, restore)) }()
	for _, i := range batch {
		before, err := project.Read(edits[i].File)
		switch {
		case err == nil:
			restore[edits[i].File] = &before
		case errors.Is(err, fs.ErrNotExist):
			restore[edits[i].File] = nil
		default:
			return false, err
		}
		if err := project.Write(edits[i].File, edits[i].Text); err != nil {
			return false, err
		}
	}
	found, err := t.run(ctx, project)
	if err != nil {
		return false, fmt.Errorf("%s: %w", edits[batch[0]].Name, err)
	}
	for _, i := range batch {
		truth[i] = about(edits[i].File, project.Dir, found)
	}
	again := slices.ContainsFunc(found, func(d tsproject.Diagnostic) bool {
		_, edited := restore[d.File]
		return !edited && slices.Contains(t.baseline, render(project, d))
	})
	return len(batch) == 1 || len(found) == 0 || again, nil
}

func render(project *tsproject.Project, d tsproject.Diagnostic) string {
	return strings.ReplaceAll(d.String(), project.Dir, "")
}

// restoreTexts puts back the texts; files that were not there go away again.
func restoreTexts(project *tsproject.Project, texts map[string]*string) error {
	var errs []error
	for _, file := range slices.Sorted(maps.Keys(texts)) {
		if text := texts[file]; text != nil {
			errs = append(errs, project.Write(file, *text))
		} else {
			errs = append(errs, os.Remove(project.Path(file)))
		}
	}
	return errors.Join(errs...)
}
