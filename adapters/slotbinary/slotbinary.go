package slotbinary

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"vibevm.org/tcgfamily"
	"vibevm.org/tcgfamily/oracleproto"
	"vibevm.org/workspace"
)

// Binaries is the OracleBinaries of a vibe project: the oracles are binaries of
// the packages that its vibe.lock has installed.
type Binaries struct {
	start   string
	builder Builder
}

var _ tcgfamily.OracleBinaries = Binaries{}

// New makes the OracleBinaries of the project that a directory belongs to. The
// directory need not exist and no project be there yet: everything is read
// anew at every call, so that what is installed meanwhile is found.
func New(start string) Binaries { return Binaries{start: start} }

// Find resolves the language's oracle through the project's vibe.lock.
func (b Binaries) Find(ctx context.Context, language tcgfamily.Language) (tcgfamily.Artifact, error) {
	if err := ctx.Err(); err != nil {
		return tcgfamily.Artifact{}, err
	}
	installed, err := workspace.Open(b.start)
	if err != nil {
		return tcgfamily.Artifact{}, refusal(language, nil, err)
	}
	binary, err := installed.Binary(language.Binary())
	if err != nil {
		return tcgfamily.Artifact{}, refusal(language, installed, err)
	}
	if !binary.Built && binary.ManifestGroup != binary.Package.Group {
		// The registry decides by one group; here there are two.
		return tcgfamily.Artifact{}, toolError(binary.ConsentRequired())
	}
	return tcgfamily.Artifact{
		Name:    binary.Name,
		Path:    binary.Artifact,
		Present: binary.Built,
		Group:   string(binary.Package.Group),
		Package: string(binary.Package.Name),
	}, nil
}

// Build builds an artifact that Find found absent. It holds the standing
// consent rule itself: nobody who calls it can have another's word.
func (b Binaries) Build(ctx context.Context, artifact tcgfamily.Artifact) error {
	plan, err := b.plan(artifact.Name)
	if err == nil {
		err = b.builder.Ensure(ctx, plan)
	}
	if failure := (*workspace.Error)(nil); errors.As(err, &failure) {
		return toolError(failure)
	}
	return err
}

func (b Binaries) plan(name string) (workspace.BuildPlan, error) {
	installed, err := workspace.Open(b.start)
	if err != nil {
		return workspace.BuildPlan{}, err
	}
	binary, err := installed.Binary(name)
	if err != nil {
		return workspace.BuildPlan{}, err
	}
	return workspace.PlanBuild(binary, workspace.Standing)
}

// refusal says why a language has no oracle here. A stack that is not
// installed is answered with the line that installs this language's
// (PROP-026 §4 p16); a stack that is, but broken, with what is wrong with it.
func refusal(language tcgfamily.Language, installed *workspace.Installation, err error) error {
	if root := (*workspace.RootError)(nil); errors.As(err, &root) {
		return &oracleproto.Error{Kind: oracleproto.KindRootMissing, Detail: root.Error(), Recipe: root.Fix()}
	}
	failure := (*workspace.Error)(nil)
	if !errors.As(err, &failure) {
		return err
	}
	install := fmt.Sprintf("put %s under [requires.packages] in %s, then run vibe install", language.RequiresLine(), workspace.ManifestName)
	switch failure.Code {
	case workspace.CodeProjectMissing:
		return &oracleproto.Error{Kind: oracleproto.KindOracleMissing, Detail: failure.Error(), Recipe: "run vibe init, " + install}
	case workspace.CodeBinaryUnknown:
		if broken := brokenStack(language, installed); broken != nil {
			return &oracleproto.Error{
				Kind:   oracleproto.KindOracleMissing,
				Detail: fmt.Sprintf("the package of %s cannot be used: %s", language.Binary(), broken),
				Recipe: broken.Fix(),
			}
		}
		return &oracleproto.Error{
			Kind:   oracleproto.KindOracleMissing,
			Detail: fmt.Sprintf("the %s oracle is not installed: %s", language, failure),
			Recipe: install,
		}
	}
	return toolError(failure)
}

// brokenStack finds the broken slot of a package of the language's family,
// which shares the beginning of its name with the oracle.
func brokenStack(language tcgfamily.Language, installed *workspace.Installation) *workspace.Error {
	family := strings.TrimSuffix(language.Binary(), "-tcg")
	for _, slot := range installed.Slots {
		if name := string(slot.Package.Name); slot.Err != nil && (name == family || strings.HasPrefix(name, family+"-")) {
			return slot.Err
		}
	}
	return nil
}

// toolError keeps code and recipe: the codes of workspace are kinds too.
func toolError(e *workspace.Error) *tcgfamily.ToolError {
	return &tcgfamily.ToolError{Kind: oracleproto.Kind(e.Code), Detail: e.Error(), Recipe: e.Fix()}
}
