// Package oracletest holds what every oracle.Backend has to do, as one suite
// that runs over each of them, and a fake backend for tests of what stands in
// front of one.
package oracletest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// Language is what the suite needs to know of one backend: how to make it, and
// texts of its language. In texts with a position the mark ‸ stands for it and
// is taken out.
type Language struct {
	// Backend makes the backend for a root.
	Backend func(root string) oracle.Backend
	// Project makes a project of these files, root-relative with slashes, and
	// returns its root with symlinks resolved.
	Project func(t testing.TB, files map[string]string) string
	// Files are a project without errors.
	Files map[string]string

	// File is one of Files; Clean and Broken are texts for it, the latter with
	// exactly one error of this code.
	File, Clean, Broken, BrokenCode string

	// Importing is a text for File that is clean once Missing, which is not on
	// disk, has the text Provided, and has the error ImportCode before.
	Importing, Missing, Provided, ImportCode string

	// Member is a text for File with a position at which a member named
	// MemberName completes, whose type text contains MemberType.
	Member, MemberName, MemberType string

	// Typed is a text for File with a position whose signature contains
	// Signature and whose documentation contains Documentation.
	Typed, Signature, Documentation string

	// Scoped is a text for File with a position at which Visible are the
	// visible names, among others, and Hidden are not.
	Scoped          string
	Visible, Hidden []string

	// Slow is a text for File that takes the compiler over half a second.
	Slow string

	// Kill kills the compiler of a backend from outside.
	Kill func(t testing.TB, b oracle.Backend)
}

// Contract runs the suite. Whoever calls it checks for leaked goroutines.
func Contract(t *testing.T, lang Language) {
	t.Helper()
	for name, run := range map[string]func(*suite){
		"clean and broken":                     (*suite).cleanAndBroken,
		"alternating texts":                    (*suite).alternating,
		"hypothetical file":                    (*suite).hypotheticalFile,
		"overlay cleared":                      (*suite).overlayCleared,
		"changes on disk":                      (*suite).changesOnDisk,
		"complete":                             (*suite).complete,
		"type":                                 (*suite).typeAt,
		"scope":                                (*suite).scope,
		"probes leave no trace":                (*suite).probesLeaveNoTrace,
		"context ends before the first answer": (*suite).contextEndsCold,
		"context ends in a call":               (*suite).contextEnds,
		"close in a call":                      (*suite).closeInCall,
		"close":                                (*suite).closeIdempotent,
		"crash in a call":                      (*suite).crash,
	} {
		t.Run(name, func(t *testing.T) {
			root := lang.Project(t, lang.Files)
			s := &suite{T: t, Language: lang, root: root, b: lang.Backend(root)}
			t.Cleanup(func() { require.NoError(t, s.b.Close()) })
			run(s)
		})
	}
}

type suite struct {
	*testing.T
	Language
	root string
	b    oracle.Backend
}

// callLimit bounds every call of the suite, far above what one takes.
const callLimit = 2 * time.Minute

func (s *suite) ctx() context.Context {
	ctx, cancel := context.WithTimeout(s.Context(), callLimit)
	s.Cleanup(cancel)
	return ctx
}

func (s *suite) path(rel string) string { return filepath.Join(s.root, filepath.FromSlash(rel)) }

func (s *suite) sync(changes ...oracle.Change) {
	s.Helper()
	require.NoError(s, s.b.Sync(s.ctx(), changes))
}

func (s *suite) set(rel, text string) oracle.Document {
	s.Helper()
	s.sync(oracle.Change{Kind: oracle.OverlaySet, Path: s.path(rel), Text: text})
	return oracle.Document{Path: s.path(rel), Text: text}
}

// marked sets a text with a position.
func (s *suite) marked(text string) (oracle.Document, oracleproto.Position) {
	s.Helper()
	before, after, ok := strings.Cut(text, "‸")
	require.True(s, ok, "the text has no mark")
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return s.set(s.File, before+after), oracleproto.Position{Line: 1 + strings.Count(before, "\n"), Character: len(line)}
}

func (s *suite) validate(doc oracle.Document) oracle.Validation {
	s.Helper()
	v, err := s.b.Validate(s.ctx(), doc, oracle.Check{})
	require.NoError(s, err)
	require.Empty(s, v.Unknown)
	require.Empty(s, v.ProjectErrors)
	require.NotEmpty(s, v.Engine.Name)
	require.NotEmpty(s, v.Engine.Version)
	require.NotEmpty(s, v.ConfigFile)
	require.NotEmpty(s, v.Coverage)
	return v
}

func codes(v oracle.Validation) []string {
	out := []string{}
	for _, d := range v.Diagnostics {
		out = append(out, d.Code.String())
	}
	return out
}

func (s *suite) cleanAndBroken() {
	assert.Empty(s, s.validate(s.set(s.File, s.Clean)).Diagnostics)
	v := s.validate(s.set(s.File, s.Broken))
	require.Equal(s, []string{s.BrokenCode}, codes(v))
	d := v.Diagnostics[0]
	assert.Equal(s, "error", d.Category)
	assert.NotEmpty(s, d.Message)
	assert.Positive(s, d.Line)
	text, err := os.ReadFile(s.path(s.File))
	require.NoError(s, err)
	assert.Equal(s, s.Files[s.File], string(text), "hypothetical content was written")
}

func (s *suite) alternating() {
	for range 50 {
		require.Equal(s, []string{s.BrokenCode}, codes(s.validate(s.set(s.File, s.Broken))))
		require.Empty(s, s.validate(s.set(s.File, s.Clean)).Diagnostics)
	}
}

func (s *suite) hypotheticalFile() {
	importer := s.set(s.File, s.Importing)
	require.Equal(s, []string{s.ImportCode}, codes(s.validate(importer)))
	s.set(s.Missing, s.Provided)
	require.Empty(s, s.validate(importer).Diagnostics)
	s.sync(oracle.Change{Kind: oracle.OverlayClear, Path: s.path(s.Missing)})
	require.Equal(s, []string{s.ImportCode}, codes(s.validate(importer)))
}

func (s *suite) overlayCleared() {
	s.validate(s.set(s.File, s.Broken))
	s.sync(oracle.Change{Kind: oracle.OverlayClear, Path: s.path(s.File)})
	doc := oracle.Document{Path: s.path(s.File), Text: s.Files[s.File]}
	assert.Empty(s, s.validate(doc).Diagnostics, "a document nobody announced is the disk's")
}

func (s *suite) changesOnDisk() {
	importer := s.set(s.File, s.Importing)
	require.Equal(s, []string{s.ImportCode}, codes(s.validate(importer)))
	s.write(s.Missing, s.Provided)
	s.sync(oracle.Change{Kind: oracle.DiskCreated, Path: s.path(s.Missing)})
	require.Empty(s, s.validate(importer).Diagnostics)

	s.write(s.Missing, "\n")
	s.sync(oracle.Change{Kind: oracle.DiskChanged, Path: s.path(s.Missing)})
	require.NotEmpty(s, s.validate(importer).Diagnostics)
	s.write(s.Missing, s.Provided)
	s.sync(oracle.Change{Kind: oracle.DiskChanged, Path: s.path(s.Missing)})
	require.Empty(s, s.validate(importer).Diagnostics)

	require.NoError(s, os.Remove(s.path(s.Missing)))
	s.sync(oracle.Change{Kind: oracle.DiskDeleted, Path: s.path(s.Missing)})
	require.Equal(s, []string{s.ImportCode}, codes(s.validate(importer)))
}

func (s *suite) write(rel, text string) {
	s.Helper()
	require.NoError(s, os.MkdirAll(filepath.Dir(s.path(rel)), 0o755))
	require.NoError(s, os.WriteFile(s.path(rel), []byte(text), 0o644))
}

func (s *suite) complete() {
	doc, at := s.marked(s.Member)
	c, err := s.b.Complete(s.ctx(), doc, at, "", 1000)
	require.NoError(s, err)
	i := slices.IndexFunc(c.Entries, func(e oracleproto.Entry) bool { return e.Name == s.MemberName })
	require.GreaterOrEqual(s, i, 0, "%v", c.Entries)
	assert.Contains(s, c.Entries[i].TypeText, s.MemberType)
	assert.NotEmpty(s, c.Entries[i].Kind)
	assert.Equal(s, len(c.Entries), c.Total)

	prefix := s.MemberName[:len(s.MemberName)-1]
	c, err = s.b.Complete(s.ctx(), doc, at, prefix, 1)
	require.NoError(s, err)
	require.Len(s, c.Entries, 1)
	assert.True(s, strings.HasPrefix(c.Entries[0].Name, prefix))

	c, err = s.b.Complete(s.ctx(), doc, at, "noSuchName", 10)
	require.NoError(s, err)
	assert.Empty(s, c.Entries)
	assert.Zero(s, c.Total)
}

func (s *suite) typeAt() {
	doc, at := s.marked(s.Typed)
	info, err := s.b.Type(s.ctx(), doc, at)
	require.NoError(s, err)
	assert.Contains(s, info.Display, s.Signature)
	assert.Contains(s, info.Documentation, s.Documentation)

	blank := s.set(s.File, "\n\n"+s.Clean)
	info, err = s.b.Type(s.ctx(), blank, oracleproto.Position{Line: 1})
	require.NoError(s, err)
	assert.Empty(s, info.Display)
	assert.Empty(s, info.Documentation)
}

func (s *suite) scope() {
	doc, at := s.marked(s.Scoped)
	scope, err := s.b.Scope(s.ctx(), doc, at, false)
	require.NoError(s, err)
	names := []string{}
	for _, symbol := range scope.Symbols {
		names = append(names, symbol.Name)
		assert.NotEmpty(s, symbol.Kind, symbol.Name)
	}
	assert.Subset(s, names, s.Visible)
	for _, hidden := range s.Hidden {
		assert.NotContains(s, names, hidden)
	}
	assert.Empty(s, scope.Globals)
	again, err := s.b.Scope(s.ctx(), doc, at, false)
	require.NoError(s, err)
	assert.Equal(s, scope.Symbols, again.Symbols, "the order is stable")
}

// probesLeaveNoTrace asks about one text between questions that may hold
// another in the compiler for a while.
func (s *suite) probesLeaveNoTrace() {
	doc, at := s.marked(s.Scoped)
	before := s.validate(doc)
	_, err := s.b.Scope(s.ctx(), doc, at, true)
	require.NoError(s, err)
	assert.Equal(s, before.Diagnostics, s.validate(doc).Diagnostics)
	_, err = s.b.Complete(s.ctx(), doc, at, "", 50)
	require.NoError(s, err)
	assert.Equal(s, before.Diagnostics, s.validate(doc).Diagnostics)
}

// soon ends shortly after a call began, long before a slow call does.
func (s *suite) soon() (context.Context, context.CancelFunc) {
	return context.WithTimeout(s.Context(), 50*time.Millisecond)
}

func (s *suite) contextEndsCold() {
	ctx, cancel := context.WithTimeout(s.Context(), time.Millisecond)
	defer cancel()
	doc := s.set(s.File, s.Slow)
	v, err := s.b.Validate(ctx, doc, oracle.Check{})
	require.ErrorIs(s, err, context.DeadlineExceeded, "%v", v)
	assert.Empty(s, s.validate(s.set(s.File, s.Clean)).Diagnostics)
}

func (s *suite) contextEnds() {
	s.validate(s.set(s.File, s.Clean))
	doc := s.set(s.File, s.Slow)
	ctx, cancel := context.WithCancel(s.Context())
	result := make(chan error, 1)
	go func() {
		_, err := s.b.Validate(ctx, doc, oracle.Check{})
		result <- err
	}()
	s.waitSoon()
	cancel()
	require.ErrorIs(s, s.receive(result, time.Second), context.Canceled)
	assert.Empty(s, s.validate(s.set(s.File, s.Clean)).Diagnostics)
}

// waitSoon lets a call get under way.
func (s *suite) waitSoon() {
	ctx, cancel := s.soon()
	defer cancel()
	<-ctx.Done()
}

// receive waits for a call's error within a limit.
func (s *suite) receive(result <-chan error, limit time.Duration) error {
	s.Helper()
	select {
	case err := <-result:
		return err
	case <-time.After(10 * limit):
		require.Fail(s, "the call did not return")
		return nil
	}
}

func (s *suite) closeInCall() {
	s.validate(s.set(s.File, s.Clean))
	doc := s.set(s.File, s.Slow)
	result := make(chan error, 1)
	go func() {
		_, err := s.b.Validate(s.Context(), doc, oracle.Check{})
		result <- err
	}()
	s.waitSoon()
	require.NoError(s, s.b.Close())
	require.Error(s, s.receive(result, time.Second))
	_, err := s.b.Validate(s.ctx(), doc, oracle.Check{})
	require.Error(s, err)
}

func (s *suite) closeIdempotent() {
	s.validate(s.set(s.File, s.Clean))
	require.NoError(s, s.b.Close())
	require.NoError(s, s.b.Close())
	unused := s.Backend(s.root)
	require.NoError(s, unused.Close())
}

func (s *suite) crash() {
	s.validate(s.set(s.File, s.Clean))
	doc := s.set(s.File, s.Slow)
	result := make(chan error, 1)
	go func() {
		_, err := s.b.Validate(s.Context(), doc, oracle.Check{})
		result <- err
	}()
	s.waitSoon()
	s.Kill(s, s.b)
	var e *oracleproto.Error
	err := s.receive(result, time.Second)
	require.ErrorAs(s, err, &e)
	assert.Equal(s, oracleproto.KindOracleCrashed, e.Kind)
	assert.Contains(s, e.Detail, "killed")
	assert.NotEmpty(s, e.Recipe)
	_, err = s.b.Validate(s.ctx(), doc, oracle.Check{})
	require.ErrorAs(s, err, &e, "a dead compiler is not started again")
	assert.Equal(s, oracleproto.KindOracleCrashed, e.Kind)
}
