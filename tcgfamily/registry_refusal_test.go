package tcgfamily_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"vibevm.org/tcgfamily"
	"vibevm.org/tcgfamily/oracleproto"
	"vibevm.org/tcgfamily/tcgtest"
)

func TestRefusalsStartNothing(t *testing.T) {
	b, o := newTSBench(t)

	_, err := b.Ask(t.Context(), "go", oracleproto.OpValidate, nil)
	failure := requireFailure(t, err, oracleproto.KindLanguageUnsupported)
	require.Contains(t, failure.Recipe, "typescript, rust")

	own := &tcgfamily.ToolError{Kind: oracleproto.KindOracleMissing, Detail: "not installed", Recipe: "vibe install"}
	b.binaries.Fail(ts, own)
	_, err = b.validate(t.Context())
	require.Equal(t, own, err)

	b.binaries.Fail(ts, errors.New("lockfile ate my homework"))
	_, err = b.validate(t.Context())
	failure = requireFailure(t, err, oracleproto.KindInternal)
	require.Contains(t, failure.Detail, "lockfile ate my homework")

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = b.validate(ended)
	require.ErrorIs(t, err, context.Canceled)

	require.Empty(t, o.Pids(t))
}

func TestAMissingRootIsARefusal(t *testing.T) {
	o := tcgtest.NewOracle(t)
	binaries := tcgtest.NewFakeBinaries(map[tcgfamily.Language]tcgfamily.Artifact{ts: o.Artifact()})
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, root := range []string{filepath.Join(t.TempDir(), "gone"), file} {
		r := tcgfamily.NewOracleRegistry(tcgtest.FakeHost{Root: root}, binaries)
		_, err := r.Ask(t.Context(), ts, oracleproto.OpValidate, nil)
		failure := requireFailure(t, err, oracleproto.KindRootMissing)
		require.Contains(t, failure.Detail, root)
		require.Contains(t, failure.Recipe, "--path")
		require.NoError(t, r.Close())
	}
	require.Empty(t, o.Pids(t))
}

func TestUnstartableArtifact(t *testing.T) {
	b, o := newTSBench(t)
	broken := o.Artifact()
	broken.Path = filepath.Join(t.TempDir(), "no-such-binary")
	b.binaries.Set(ts, broken)
	_, err := b.validate(t.Context())
	failure := requireFailure(t, err, oracleproto.KindOracleMissing)
	require.Contains(t, failure.Detail, broken.Path)
	require.Contains(t, failure.Recipe, "vibe bin build fake-tcg --assume-yes")

	// The failure is not remembered.
	b.binaries.Set(ts, o.Artifact())
	_, err = b.validate(t.Context())
	require.NoError(t, err)
}

func TestBuildingNeedsConsent(t *testing.T) {
	b, o := newTSBench(t)
	absent := o.Artifact()
	absent.Present = false
	b.binaries.Set(ts, absent)
	_, err := b.validate(t.Context())
	failure := requireFailure(t, err, oracleproto.KindConsentRequired)
	require.Contains(t, failure.Detail, "org.example/fake")
	require.Contains(t, failure.Recipe, "vibe bin build fake-tcg --assume-yes")
	require.Empty(t, b.binaries.Builds())
	require.Empty(t, o.Pids(t))

	absent.Group = "org.vibevm"
	b.binaries.Set(ts, absent)
	_, err = b.validate(t.Context())
	require.NoError(t, err)
	require.Equal(t, []tcgfamily.Artifact{absent}, b.binaries.Builds())

	_, err = b.validate(t.Context())
	require.NoError(t, err)
	require.Len(t, b.binaries.Builds(), 1, "built once")
	require.Len(t, o.Pids(t), 1, "a built artifact is the same artifact")
}

func TestAFailedBuildIsReportedAndTriedAgain(t *testing.T) {
	b, o := newTSBench(t)
	absent := o.Artifact()
	absent.Present, absent.Group = false, "org.vibevm"
	b.binaries.Set(ts, absent)
	b.binaries.OnBuild(func(context.Context, tcgfamily.Artifact) error { return errors.New("cargo: exit status 101") })
	_, err := b.validate(t.Context())
	failure := requireFailure(t, err, oracleproto.KindBuildFailed)
	require.Contains(t, failure.Detail, "cargo: exit status 101")
	require.Contains(t, failure.Recipe, "vibe bin build fake-tcg")

	b.binaries.OnBuild(nil)
	_, err = b.validate(t.Context())
	require.NoError(t, err)
	require.Len(t, b.binaries.Builds(), 2)
}
