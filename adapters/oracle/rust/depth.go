package rust

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"vibevm.org/adapters/oracle"
	"vibevm.org/adapters/oracle/rust/native"
	"vibevm.org/adapters/oracle/rust/shadow"
	"vibevm.org/tcgfamily/oracleproto"
)

// Validate implements oracle.Backend. By itself the analyzer's errors are
// answered at once, and its all-clear once rustc confirms it or the budget
// ends.
func (b *Backend) Validate(ctx context.Context, doc oracle.Document, check oracle.Check) (oracle.Validation, error) {
	switch check.Depth {
	case oracleproto.DepthFull:
		return b.full(ctx, doc, check.Tests)
	case oracleproto.DepthNative:
		return b.native(ctx, doc, check)
	case oracleproto.DepthAuto, "":
		return b.auto(ctx, doc, check)
	}
	return oracle.Validation{}, &oracleproto.Error{
		Kind:   oracleproto.KindBadArguments,
		Detail: fmt.Sprintf("depth is %.40q", check.Depth),
		Recipe: "use one of auto, native, full",
	}
}

// native is the analyzer's answer.
func (b *Backend) native(ctx context.Context, doc oracle.Document, check oracle.Check) (oracle.Validation, error) {
	a, err := b.take(ctx, doc)
	if err != nil {
		return oracle.Validation{}, err
	}
	defer a.done()
	return a.validate(ctx, doc, check)
}

// validate is the analyzer's answer with what there is to say about it.
func (a analyzer) validate(ctx context.Context, doc oracle.Document, check oracle.Check) (oracle.Validation, error) {
	v, err := a.Validate(ctx, doc, check)
	v.Advice = append(v.Advice, a.advice...)
	if err == nil && v.Unknown == "" && !hasErrors(v) {
		v.Advice = append(v.Advice, unchecked)
	}
	return v, err
}

// unchecked is what an all-clear of the analyzer does not mean.
const unchecked = "rust-analyzer found nothing, which is less than cargo check: the borrow checker, trait bounds and names in types were not checked"

// full is rustc's answer.
func (b *Backend) full(ctx context.Context, doc oracle.Document, tests bool) (oracle.Validation, error) {
	overlays := maps.Clone(b.pool.Overlays())
	if overlays == nil {
		overlays = map[string]string{}
	}
	overlays[doc.Path] = doc.Text
	r, err := b.checker.Check(ctx, shadow.Request{File: doc.Path, Overlays: overlays, Tests: tests})
	if err != nil {
		return oracle.Validation{}, err
	}
	v := oracle.Validation{
		Context:     oracle.Context{Engine: r.Engine, ConfigFile: r.ConfigFile, Advice: r.Advice},
		Coverage:    oracleproto.CoverageRustc,
		Diagnostics: r.Diagnostics,
	}
	switch {
	case hasErrors(v):
	case r.Unlinked:
		v.Unknown = oracleproto.ReasonNotInProject
		if w, err := b.locator.locate(ctx, doc.Path); err == nil {
			v.Advice = append(v.Advice, native.Unlinked(doc.Path, w.root, overlays))
		}
	case !r.Reached:
		v.Unknown = oracleproto.ReasonNotReached
		v.Advice = append(v.Advice, elsewhere(r))
	}
	return v, nil
}

// elsewhere says what kept cargo from reaching the file.
func elsewhere(r shadow.Result) string {
	if len(r.Elsewhere) == 0 {
		return "cargo check did not get to this file"
	}
	var places []string
	for _, d := range r.Elsewhere {
		place := d.Message
		if code := d.Code.String(); code != "" {
			place = code + ": " + place
		}
		if d.File != "" {
			place = fmt.Sprintf("%s:%d:%d %s", d.File, d.Line, d.Character, place)
		}
		places = append(places, place)
	}
	return "errors elsewhere keep cargo check from this file; mend them first: " + strings.Join(places, "; ")
}

// answer is what one of the two says.
type answer struct {
	oracle.Validation
	err error
}

// auto has the analyzer answer, and rustc where the analyzer finds nothing.
// Until the analyzer is loaded both are asked at once: on a small crate rustc
// is done long before.
func (b *Backend) auto(ctx context.Context, doc oracle.Document, check oracle.Check) (oracle.Validation, error) {
	a, err := b.take(ctx, doc)
	if err != nil {
		return oracle.Validation{}, err
	}
	defer a.done()
	asking, giveUp := context.WithCancel(ctx)
	var asked sync.WaitGroup
	defer asked.Wait() // a backend is asked one question at a time
	defer giveUp()
	ask := func(question func() (oracle.Validation, error)) <-chan answer {
		said := make(chan answer, 1)
		asked.Go(func() {
			v, err := question()
			said <- answer{v, err}
		})
		return said
	}
	askFull := func() <-chan answer {
		return ask(func() (oracle.Validation, error) { return b.full(asking, doc, check.Tests) })
	}

	var full <-chan answer
	if !a.Loaded() {
		full = askFull()
	}
	native := ask(func() (oracle.Validation, error) { return a.validate(asking, doc, check) })
	var first answer
	select {
	case first = <-native:
	case confirmed := <-full:
		if confirmed.err == nil && confirmed.Unknown == "" {
			return confirmed.Validation, nil // the last word
		}
		select {
		case first = <-native:
		case <-time.After(b.options.FullBudget):
			if confirmed.err == nil {
				return confirmed.Validation, nil // not a verdict, and none from an analyzer that still loads
			}
			first = <-native
		}
		full = ask(func() (oracle.Validation, error) { return confirmed.Validation, confirmed.err })
	}
	if first.err != nil || first.Unknown == "" && hasErrors(first.Validation) {
		return first.Validation, first.err
	}
	if full == nil {
		full = askFull()
	}
	budget := time.NewTimer(b.options.FullBudget)
	defer budget.Stop()
	select {
	case confirmed := <-full:
		return settled(ctx, first.Validation, confirmed)
	case <-budget.C:
		giveUp() // on waiting: cargo goes on
		return settled(ctx, first.Validation, <-full)
	}
}

// settled is rustc's answer, or the analyzer's all-clear with why there is none.
func settled(ctx context.Context, first oracle.Validation, confirmed answer) (oracle.Validation, error) {
	var refused *oracleproto.Error
	switch err := confirmed.err; {
	case err == nil:
		return confirmed.Validation, nil
	case ctx.Err() != nil:
		return oracle.Validation{}, ctx.Err()
	case errors.Is(err, context.Canceled):
		stage := strings.TrimSuffix(err.Error(), ": "+context.Canceled.Error())
		first.Advice = append(first.Advice, "cargo check goes on in the background ("+stage+"); ask again for its verdict")
	case errors.As(err, &refused) && unconfirmable[refused.Kind]:
		first.Advice = append(first.Advice, fmt.Sprintf("cargo check could not confirm this (%s); fix: %s", refused.Detail, refused.Recipe))
	default:
		return oracle.Validation{}, err
	}
	return first, nil
}

// unconfirmable are the failures of a full check that say nothing about the
// project: the analyzer's answer stands, for what it is.
var unconfirmable = map[oracleproto.Kind]bool{
	oracleproto.KindManifestMissing:   true, // a file of its own
	oracleproto.KindBuildScriptsOff:   true,
	oracleproto.KindShadowDiskFull:    true,
	oracleproto.KindShadowUnavailable: true,
	oracleproto.KindTimeout:           true,
}

func hasErrors(v oracle.Validation) bool {
	return slices.ContainsFunc(v.Diagnostics, func(d oracleproto.Diagnostic) bool { return d.Category == "error" })
}
