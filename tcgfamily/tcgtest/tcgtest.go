// Package tcgtest has fakes of the tool family's ports and a fake oracle, for
// the tests of this and other modules.
//
// The fake oracle is the test binary itself, started again: a test package
// that uses one calls Main from its TestMain.
package tcgtest

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"vibevm.org/tcgfamily"
)

// Main runs the tests and fails them on leaked goroutines. In a process that
// was started as a fake oracle it plays that instead.
func Main(m *testing.M) {
	playIfOracle()
	// The race detector lets every process sleep for a second at its exit.
	race := strings.TrimSpace(os.Getenv("GORACE") + " atexit_sleep_ms=0")
	if err := os.Setenv("GORACE", race); err != nil {
		panic("tcgtest: " + err.Error())
	}
	goleak.VerifyTestMain(m)
}

// FakeHost is a TcgHost.
type FakeHost struct {
	Root string
	// Allowed are the groups that may be built without asking.
	Allowed []string
}

var _ tcgfamily.TcgHost = FakeHost{}

// ProjectRoot returns Root.
func (h FakeHost) ProjectRoot() string { return h.Root }

// MayBuild reports whether the group is in Allowed.
func (h FakeHost) MayBuild(group string) bool { return slices.Contains(h.Allowed, group) }

// FakeBinaries is an OracleBinaries whose artifacts a test sets. It is safe
// for concurrent use.
type FakeBinaries struct {
	mu        sync.Mutex
	artifacts map[tcgfamily.Language]tcgfamily.Artifact
	failures  map[tcgfamily.Language]error
	onBuild   func(context.Context, tcgfamily.Artifact) error
	builds    []tcgfamily.Artifact
}

var _ tcgfamily.OracleBinaries = (*FakeBinaries)(nil)

// NewFakeBinaries serves one artifact for each language given; nil serves
// none.
func NewFakeBinaries(artifacts map[tcgfamily.Language]tcgfamily.Artifact) *FakeBinaries {
	b := &FakeBinaries{
		artifacts: make(map[tcgfamily.Language]tcgfamily.Artifact),
		failures:  make(map[tcgfamily.Language]error),
	}
	for l, a := range artifacts {
		b.Set(l, a)
	}
	return b
}

// Set makes Find return the artifact from now on.
func (b *FakeBinaries) Set(l tcgfamily.Language, a tcgfamily.Artifact) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.artifacts[l] = a
	delete(b.failures, l)
}

// Fail makes Find return the error from now on.
func (b *FakeBinaries) Fail(l tcgfamily.Language, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures[l] = err
}

// OnBuild sets what Build does before the artifact becomes present. With an
// error it does not.
func (b *FakeBinaries) OnBuild(f func(context.Context, tcgfamily.Artifact) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.onBuild = f
}

// Builds lists the artifacts that Build was called with.
func (b *FakeBinaries) Builds() []tcgfamily.Artifact {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.builds)
}

// Find returns what Set or Fail said last, and KindOracleMissing for a
// language they never spoke of.
func (b *FakeBinaries) Find(ctx context.Context, l tcgfamily.Language) (tcgfamily.Artifact, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return tcgfamily.Artifact{}, err
	}
	if err := b.failures[l]; err != nil {
		return tcgfamily.Artifact{}, err
	}
	a, ok := b.artifacts[l]
	if !ok {
		return tcgfamily.Artifact{}, &tcgfamily.ToolError{
			Kind:   "oracle-missing",
			Detail: "the fake has no " + string(l) + " oracle",
			Recipe: "call FakeBinaries.Set",
		}
	}
	return a, nil
}

// Build makes the artifact present.
func (b *FakeBinaries) Build(ctx context.Context, a tcgfamily.Artifact) error {
	b.mu.Lock()
	b.builds = append(b.builds, a)
	onBuild := b.onBuild
	b.mu.Unlock()
	if onBuild != nil {
		if err := onBuild(ctx, a); err != nil {
			return err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for l, known := range b.artifacts {
		if known.Name == a.Name {
			known.Present = true
			b.artifacts[l] = known
		}
	}
	return nil
}
