package relay_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
	"vibevm.org/adapters/oracle/relay"
	"vibevm.org/tcgfamily/oracleproto"
)

func do(t *testing.T, r *relay.Relay, op string, params map[string]any) (any, error) {
	t.Helper()
	raw, err := json.Marshal(params)
	require.NoError(t, err)
	return r.Do(t.Context(), op, raw)
}

func validate(t *testing.T, r *relay.Relay, params map[string]any) oracleproto.ValidateResult {
	t.Helper()
	res, err := do(t, r, oracleproto.OpValidate, params)
	require.NoError(t, err)
	return res.(oracleproto.ValidateResult)
}

func TestTheTextJudgedIsContentThenOverlayThenDisk(t *testing.T) {
	root, b, r := project(t, map[string]string{"a.ts": "error", "b.ts": ""})

	res := validate(t, r, map[string]any{"file": "a.ts"})
	assert.Equal(t, oracleproto.VerdictErrors, res.Verdict)
	assert.Equal(t, oracleproto.SourceDisk, res.Source)

	res = validate(t, r, map[string]any{"file": "a.ts", "content": ""})
	assert.Equal(t, oracleproto.VerdictClean, res.Verdict)
	assert.Equal(t, oracleproto.SourceContent, res.Source)

	res = validate(t, r, map[string]any{"file": "a.ts"})
	assert.Equal(t, oracleproto.VerdictErrors, res.Verdict, "content is forgotten after the answer")

	up, err := do(t, r, oracleproto.OpUpdate, map[string]any{"file": "a.ts", "content": "fixed"})
	require.NoError(t, err)
	assert.Equal(t, oracleproto.UpdateResult{Version: 1}, up)
	res = validate(t, r, map[string]any{"file": "a.ts"})
	assert.Equal(t, oracleproto.VerdictClean, res.Verdict)
	assert.Equal(t, oracleproto.SourceOverlay, res.Source)

	b.told()
	validate(t, r, map[string]any{"file": "b.ts"})
	assert.Equal(t, []string{"set " + filepath.Join(root, "b.ts")}, b.told(), "a standing overlay stays")
	validate(t, r, map[string]any{"file": "b.ts", "content": "x"})
	up, err = do(t, r, oracleproto.OpUpdate, map[string]any{"file": "a.ts", "content": nil})
	require.NoError(t, err)
	assert.Equal(t, oracleproto.UpdateResult{}, up)
	b.told()
	assert.Equal(t, oracleproto.VerdictErrors, validate(t, r, map[string]any{"file": "a.ts"}).Verdict)
	assert.Equal(t, []string{"clear " + filepath.Join(root, "b.ts"), "set " + filepath.Join(root, "a.ts")}, b.told(), "one call's content does not stand for the next")
}

func TestInitForgetsStandingOverlays(t *testing.T) {
	_, _, r := project(t, map[string]string{"a.ts": "error"})
	_, err := do(t, r, oracleproto.OpUpdate, map[string]any{"file": "a.ts", "content": "fixed"})
	require.NoError(t, err)
	res, err := do(t, r, oracleproto.OpInit, nil)
	require.NoError(t, err)
	assert.Equal(t, "fake", res.(oracleproto.InitResult).Language)
	assert.Equal(t, oracleproto.VerdictErrors, validate(t, r, map[string]any{"file": "a.ts"}).Verdict)
}

func TestVerdicts(t *testing.T) {
	_, _, r := project(t, nil)
	for text, want := range map[string]struct {
		verdict oracleproto.Verdict
		reason  oracleproto.Reason
	}{
		"":               {oracleproto.VerdictClean, ""},
		"warning":        {oracleproto.VerdictClean, ""},
		"error":          {oracleproto.VerdictErrors, ""},
		"outside":        {oracleproto.VerdictUnknown, oracleproto.ReasonNotInProject},
		"broken project": {oracleproto.VerdictUnknown, oracleproto.ReasonProjectBroken},
	} {
		res := validate(t, r, map[string]any{"file": "new.ts", "content": text})
		assert.Equal(t, want.verdict, res.Verdict, text)
		assert.Equal(t, want.reason, res.Reason, text)
	}
}

func TestEnrichedFieldsAreNeverNull(t *testing.T) {
	_, _, r := project(t, nil)
	b, err := json.Marshal(validate(t, r, map[string]any{"file": "new.ts", "content": ""}))
	require.NoError(t, err)
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(b, &fields))
	for _, name := range []string{"diagnostics", "conform_findings", "advice", "facts", "markers"} {
		assert.Equal(t, "[]", string(fields[name]), name)
	}
}

func TestWhatChangedOnDiskBeforeTheQuestionIsToldFirst(t *testing.T) {
	root, b, r := project(t, map[string]string{"a.ts": "", "dep.ts": ""})
	validate(t, r, map[string]any{"file": "a.ts"})
	b.told()

	write(t, filepath.Join(root, "dep.ts"), "changed by a formatter")
	asked := false
	b.validate = func(context.Context) error {
		asked = true
		assert.Equal(t, []string{"changed " + filepath.Join(root, "dep.ts")}, b.told())
		return nil
	}
	validate(t, r, map[string]any{"file": "a.ts"})
	assert.True(t, asked)

	b.validate = nil
	write(t, filepath.Join(root, "a.ts"), "error")
	assert.Equal(t, oracleproto.VerdictErrors, validate(t, r, map[string]any{"file": "a.ts"}).Verdict)
}

func TestWhatTheBackendDidNotTakeIsToldAgain(t *testing.T) {
	root, b, r := project(t, map[string]string{"a.ts": ""})
	validate(t, r, map[string]any{"file": "a.ts"})
	write(t, filepath.Join(root, "dep.ts"), "")
	b.told()

	b.refuse = errors.New("not now")
	_, err := do(t, r, oracleproto.OpValidate, map[string]any{"file": "a.ts"})
	require.ErrorIs(t, err, b.refuse)
	b.refuse = nil
	validate(t, r, map[string]any{"file": "a.ts"})
	assert.Equal(t, []string{"created " + filepath.Join(root, "dep.ts")}, b.told())
}

func TestPositionsAreClampedIntoTheText(t *testing.T) {
	_, b, r := project(t, nil)
	text := "ab\r\n😀c\nlast"
	for at, want := range map[string]oracleproto.Position{
		"1:0": {Line: 1}, "1:2": {Line: 1, Character: 2}, "1:99": {Line: 1, Character: 2},
		"2:1": {Line: 2, Character: 0}, "2:2": {Line: 2, Character: 2}, "2:3": {Line: 2, Character: 3}, "2:9": {Line: 2, Character: 3},
		"3:4": {Line: 3, Character: 4}, "4:0": {Line: 3, Character: 4}, "99:99": {Line: 3, Character: 4},
	} {
		_, err := do(t, r, oracleproto.OpType, map[string]any{"file": "a.ts", "content": text, "position": at})
		require.NoError(t, err)
		assert.Equal(t, want, b.at, at)
	}
	_, err := do(t, r, oracleproto.OpScope, map[string]any{"file": "a.ts", "content": text})
	require.NoError(t, err)
	assert.Equal(t, oracleproto.Position{Line: 3, Character: 4}, b.at, "scope defaults to the end")
}

func TestAByteOrderMarkDoesNotShiftTheFirstLine(t *testing.T) {
	root, b, r := project(t, map[string]string{"bom.ts": "\ufefferror", "utf16.ts": "\xff\xfee\x00r\x00r\x00o\x00r\x00"})
	for _, params := range []map[string]any{{"file": "bom.ts"}, {"file": "utf16.ts"}, {"file": "new.ts", "content": "\ufefferror"}} {
		res := validate(t, r, params)
		assert.Equal(t, oracleproto.VerdictErrors, res.Verdict, "%v", params)
		assert.Equal(t, "error", b.overlays[filepath.Join(root, res.File)])
	}
}

func TestQuestionsThatCannotBeAsked(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret.ts")
	write(t, outside, "error")
	root, _, r := project(t, map[string]string{"a.ts": "", "dir.ts/x": "", "src/x": "", "binary.ts": "\x00\x01", "notes.md": ""})
	require.NoError(t, os.MkdirAll(root+"-evil", 0o755))
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(root+"-evil")) })
	write(t, root+"-evil/a.ts", "")
	require.NoError(t, os.Symlink(outside, filepath.Join(root, "link.ts")))
	require.NoError(t, os.Symlink(filepath.Dir(outside), filepath.Join(root, "linked")))
	require.NoError(t, os.Symlink(filepath.Join(filepath.Dir(outside), "absent.ts"), filepath.Join(root, "dangling.ts")))
	require.NoError(t, os.Symlink("loop.ts", filepath.Join(root, "loop.ts")))

	for file, kind := range map[string]oracleproto.Kind{
		"":                    oracleproto.KindBadArguments,
		"a\x00.ts":            oracleproto.KindBadArguments,
		"../secret.ts":        oracleproto.KindOutsideRoot,
		"src/../../secret.ts": oracleproto.KindOutsideRoot,
		outside:               oracleproto.KindOutsideRoot,
		"file://" + outside:   oracleproto.KindOutsideRoot,
		root + "-evil/a.ts":   oracleproto.KindOutsideRoot,
		"../" + filepath.Base(root) + "-evil/a.ts": oracleproto.KindOutsideRoot,
		"link.ts":          oracleproto.KindOutsideRoot,
		"linked/secret.ts": oracleproto.KindOutsideRoot,
		"linked/new.ts":    oracleproto.KindOutsideRoot,
		"dangling.ts":      oracleproto.KindOutsideRoot,
		"loop.ts":          oracleproto.KindFileUnreadable,
		"dir.ts":           oracleproto.KindNotAFile,
		"absent.ts":        oracleproto.KindFileMissing,
		"a.ts/x.ts":        oracleproto.KindFileMissing,
		"binary.ts":        oracleproto.KindNotText,
		"notes.md":         oracleproto.KindFileUnsupported,
	} {
		_, err := do(t, r, oracleproto.OpValidate, map[string]any{"file": file})
		e := failure(t, err)
		assert.Equal(t, kind, e.Kind, "%q: %s", file, e.Detail)
		assert.NotEmpty(t, e.Recipe, file)
		assert.NotContains(t, e.Detail, "error", "no content is echoed")
	}
	_, err := do(t, r, oracleproto.OpValidate, map[string]any{"file": "a.ts", "content": "a\x00b"})
	assert.Equal(t, oracleproto.KindNotText, failure(t, err).Kind)
	_, err = do(t, r, oracleproto.OpValidate, map[string]any{"file": "a.ts", "content": strings.Repeat("x", 33<<20)})
	assert.Equal(t, oracleproto.KindTooLarge, failure(t, err).Kind)
	_, err = do(t, r, oracleproto.OpType, map[string]any{"file": "a.ts"})
	assert.Equal(t, oracleproto.KindBadArguments, failure(t, err).Kind)
	_, err = do(t, r, "rename", nil)
	assert.Equal(t, oracleproto.KindProtocol, failure(t, err).Kind)
	assert.Contains(t, failure(t, err).Recipe, "validate")
}

func TestEveryFormOfAPathInsideTheRootIsTheSameFile(t *testing.T) {
	root, _, r := project(t, map[string]string{"src/a b.ts": "error"})
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(root, link))
	for _, file := range []string{"src/a b.ts", "./src/../src/a b.ts", root + "/src/a b.ts", link + "/src/a b.ts", "file://" + root + "/src/a%20b.ts"} {
		res := validate(t, r, map[string]any{"file": file})
		assert.Equal(t, "src/a b.ts", res.File, file)
		assert.Equal(t, "src/other.ts", res.Diagnostics[0].Related[0].File, "related files are named alike")
		assert.Equal(t, oracleproto.VerdictErrors, res.Verdict)
	}
}

func TestARootThatIsMissingOrNoDirectoryIsSaidSo(t *testing.T) {
	root, _, r := project(t, map[string]string{"a.ts": ""})
	require.NoError(t, os.RemoveAll(root))
	_, err := do(t, r, oracleproto.OpValidate, map[string]any{"file": "a.ts", "content": ""})
	assert.Equal(t, oracleproto.KindRootMissing, failure(t, err).Kind)
	write(t, root, "a file now")
	_, err = do(t, r, oracleproto.OpValidate, map[string]any{"file": "a.ts", "content": ""})
	assert.Equal(t, oracleproto.KindRootMissing, failure(t, err).Kind)
}

func TestAGivenUpQuestionIsTheContextsErrorAndNotAnAnswer(t *testing.T) {
	_, b, r := project(t, map[string]string{"a.ts": ""})
	b.validate = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := r.Do(ctx, oracleproto.OpValidate, json.RawMessage(`{"file":"a.ts"}`))
	require.ErrorIs(t, err, context.Canceled)
}

func TestARootGivenThroughALinkIsWatchedWhereItPoints(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, dir := range []string{"one", "two"} {
		write(t, filepath.Join(root, dir, "a.ts"), "")
	}
	link := filepath.Join(root, "link")
	require.NoError(t, os.Symlink("one", link))
	b := newBackend(root)
	r := relay.New(relay.Language{Name: "fake", Backend: func(string) oracle.Backend { return b }}, link)
	validate(t, r, map[string]any{"file": "a.ts"})
	b.told()

	write(t, filepath.Join(root, "one", "new.ts"), "")
	validate(t, r, map[string]any{"file": "a.ts"})
	assert.Equal(t, []string{"created " + filepath.Join(root, "one", "new.ts")}, b.told())

	require.NoError(t, os.Remove(link))
	require.NoError(t, os.Symlink("two", link))
	write(t, filepath.Join(root, "two", "a.ts"), "error")
	assert.Equal(t, oracleproto.VerdictErrors, validate(t, r, map[string]any{"file": "a.ts"}).Verdict)
}

// TestNothingOfAWideRootIsRemembered has a home directory as the root: a file
// right in it has no tree to compare, and what was read of one tree for a
// question about another is not known to be as it was.
func TestNothingOfAWideRootIsRemembered(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for _, name := range []string{"a.ts", "one/package.json", "one/a.ts", "two/package.json", "two/a.ts"} {
		write(t, filepath.Join(home, filepath.FromSlash(name)), "{}")
	}
	b := newBackend(home)
	r := relay.New(relay.Language{Name: "fake", Extensions: []string{".ts"}, ProjectFiles: []string{"package.json"}, Backend: func(string) oracle.Backend { return b }}, home)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	lost := func(file string) bool {
		b.told()
		validate(t, r, map[string]any{"file": file})
		return slices.Contains(b.told(), "lost")
	}
	assert.False(t, lost("one/a.ts"), "nothing was read yet")
	assert.False(t, lost("one/a.ts"))
	assert.True(t, lost("two/a.ts"), "it may have been read for the other")
	assert.False(t, lost("two/a.ts"))
	assert.True(t, lost("a.ts"))
	assert.True(t, lost("a.ts"), "it is never compared")

	write(t, filepath.Join(home, "two/a.ts"), "error")
	b.told()
	validate(t, r, map[string]any{"file": "one/a.ts"})
	assert.Contains(t, b.told(), "changed "+filepath.Join(home, "two/a.ts"), "all trees are looked at")
}
