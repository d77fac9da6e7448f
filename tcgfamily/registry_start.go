package tcgfamily

import (
	"context"
	"slices"

	"vibevm.org/tcgfamily/child"
)

// generation is one start of a language's oracle, shared by every call that
// comes while it lasts.
type generation struct {
	artifact Artifact // as found, or as built; written under the registry's mu
	root     string

	ready  chan struct{} // closed when the start is over
	oracle *oracle       // after ready; nil when err is set
	err    *ToolError    // after ready
}

// serves reports whether the generation was started from this artifact. A
// build makes an artifact present without making it another one.
func (g *generation) serves(a Artifact, root string) bool {
	return g.root == root && g.artifact.Path == a.Path && slices.Equal(g.artifact.Args, a.Args) && slices.Equal(g.artifact.Flags, a.Flags)
}

// isStarting reports whether the start is under way.
func (g *generation) isStarting() bool {
	select {
	case <-g.ready:
		return false
	default:
		return true
	}
}

// isRunning reports whether the start succeeded and the oracle is not over.
func (g *generation) isRunning() bool {
	return !g.isStarting() && g.oracle != nil && !g.oracle.isOver()
}

// isUsable reports whether a new call may join. A failed start is not
// remembered: what it lacked may be there by the next call.
func (g *generation) isUsable() bool { return g.isStarting() || g.isRunning() }

// retire stops the oracle once its pending calls are answered, or at once when
// ctx ends, and waits until it is gone.
func (g *generation) retire(ctx context.Context) error {
	<-g.ready
	if g.oracle == nil {
		return nil
	}
	g.oracle.waitIdle(ctx)
	reason := replacedError(g.artifact.Name)
	if ctx.Err() != nil {
		reason = closedError()
	}
	return g.oracle.close(reason)
}

// start brings a generation up. It belongs to no request: the call that needed
// the oracle first may be given up, the oracle is for all.
func (r *OracleRegistry) start(g *generation, language Language) {
	defer close(g.ready)
	artifact, failure := r.build(r.life, language, g.artifact)
	if failure == nil && r.life.Err() != nil {
		failure = closedError()
	}
	if failure != nil {
		g.err = failure
		return
	}
	r.mu.Lock()
	g.artifact = artifact
	r.mu.Unlock()
	o, err := startOracle(artifact.Name, child.Spec{
		Path: artifact.Path,
		Args: slices.Concat(artifact.Args, []string{"serve", "--root", g.root}, artifact.Flags),
		Dir:  g.root,
	})
	if err != nil {
		g.err = notStartable(artifact, err)
		return
	}
	g.oracle = o
	r.log.Info("oracle started", "language", language, "path", artifact.Path, "pid", o.process.Pid())
}

// build makes an absent artifact, with consent (PROP-026 §5), and returns what
// is there afterwards.
func (r *OracleRegistry) build(ctx context.Context, language Language, a Artifact) (Artifact, *ToolError) {
	if a.Present {
		return a, nil
	}
	if !r.host.MayBuild(a.Group) {
		return a, consentRequired(a)
	}
	r.log.Info("building oracle", "language", language, "name", a.Name, "group", a.Group)
	if err := r.binaries.Build(ctx, a); err != nil {
		return a, buildFailed(ctx, a, err)
	}
	built, err := r.binaries.Find(ctx, language)
	switch {
	case err != nil:
		return a, buildFailed(ctx, a, err)
	case !built.Present:
		return a, notThereAfterBuild(built)
	}
	return built, nil
}
