package answer

import (
	"cmp"
	"encoding/json"
	"slices"

	"vibevm.org/tcgfamily/oracleproto"
)

const categoryError = "error"

// validated is the twin of a validation.
type validated struct {
	oracleproto.ValidateResult
	omission
}

// checkValidate refuses a result that does not support its own verdict, and
// turns clean into errors when the result lists some.
func checkValidate(q Question, r *oracleproto.ValidateResult) error {
	if err := checkMeta(q, &r.Meta); err != nil {
		return err
	}
	t := tally(r)
	switch r.Verdict {
	case oracleproto.VerdictClean:
		if r.Diagnostics == nil {
			return malformed(q, "the result says clean without a list of diagnostics")
		}
		if r.Coverage == oracleproto.CoverageNone || r.Coverage == "" {
			return malformed(q, "the result says clean although nothing was checked")
		}
		if t.errors > 0 || t.projectErrors > 0 {
			r.Verdict = oracleproto.VerdictErrors
		}
	case oracleproto.VerdictErrors:
		if t.errors == 0 && t.projectErrors == 0 && t.findings == 0 {
			return malformed(q, "the result says errors and lists none")
		}
	}
	if r.Verdict != oracleproto.VerdictUnknown && q.Inline != (r.Source == oracleproto.SourceContent) {
		return malformed(q, "the result is about another text than the one asked about (source %q)", r.Source)
	}
	for _, list := range [][]json.RawMessage{r.Facts, r.Markers} {
		for i := range list {
			list[i] = cleanRaw(list[i])
		}
	}
	// Errors first; the compiler's order within.
	slices.SortStableFunc(r.Diagnostics, func(a, b oracleproto.Diagnostic) int {
		return cmp.Compare(severity(a), severity(b))
	})
	return nil
}

func severity(d oracleproto.Diagnostic) int {
	if d.Category == categoryError {
		return 0
	}
	return 1
}

// totals count a whole result, whatever of it is shown.
type totals struct {
	errors, warnings, projectErrors, findings, baselined int
}

func tally(r *oracleproto.ValidateResult) totals {
	t := totals{projectErrors: len(r.ProjectErrors)}
	for _, d := range r.Diagnostics {
		if d.Category == categoryError {
			t.errors++
		} else {
			t.warnings++
		}
	}
	for _, f := range r.ConformFindings {
		if f.Baselined {
			t.baselined++
		} else {
			t.findings++
		}
	}
	return t
}

// validateRanks holds the rank of every item of a validation.
type validateRanks struct {
	projectErrors, diagnostics, findings, advice, markers, facts []int
	projectRelated, related                                      [][]int // by project error, by diagnostic
}

// rankValidate orders a validation: the first error of each code and the first
// finding of each rule, advice, the other errors and findings, places that
// explain errors, warnings, findings in the baseline, markers, facts.
func rankValidate(r *oracleproto.ValidateResult) (o order, ranks validateRanks) {
	const unranked = -1
	ranks = validateRanks{
		projectErrors: slices.Repeat([]int{unranked}, len(r.ProjectErrors)),
		diagnostics:   slices.Repeat([]int{unranked}, len(r.Diagnostics)),
		findings:      slices.Repeat([]int{unranked}, len(r.ConformFindings)),

		projectRelated: make([][]int, len(r.ProjectErrors)),
		related:        make([][]int, len(r.Diagnostics)),
	}
	put := func(rank *int, kind string) {
		if *rank == unranked {
			*rank = o.add(kind)
		}
	}
	seen := make(map[string]bool)
	first := func(key string) bool {
		again := seen[key]
		seen[key] = true
		return !again
	}
	// severe ranks what makes the answer an error, all of it or the first of
	// each sort.
	severe := func(wanted func(key string) bool) {
		for i, d := range r.ProjectErrors {
			if wanted("project " + d.Code.String()) {
				put(&ranks.projectErrors[i], "project_errors")
			}
		}
		for i, d := range r.Diagnostics {
			if d.Category == categoryError && wanted("code "+d.Code.String()) {
				put(&ranks.diagnostics[i], "errors")
			}
		}
		for i, f := range r.ConformFindings {
			if !f.Baselined && wanted("rule "+f.Rule) {
				put(&ranks.findings[i], "findings")
			}
		}
	}
	related := func(ofErrors bool) {
		for i, d := range r.Diagnostics {
			if (d.Category == categoryError) == ofErrors {
				ranks.related[i] = o.addAll("related", len(d.Related))
			}
		}
	}

	severe(first)
	o.required = len(o.kinds)
	ranks.advice = o.addAll("advice", len(r.Advice))
	severe(func(string) bool { return true })
	for i, d := range r.ProjectErrors {
		ranks.projectRelated[i] = o.addAll("related", len(d.Related))
	}
	related(true)
	for i := range r.Diagnostics {
		put(&ranks.diagnostics[i], "warnings")
	}
	related(false)
	for i := range r.ConformFindings {
		put(&ranks.findings[i], "baselined_findings")
	}
	ranks.markers = o.addAll("markers", len(r.Markers))
	ranks.facts = o.addAll("facts", len(r.Facts))
	return o, ranks
}

// validateView shows a checked validation.
func validateView(q Question, full oracleproto.ValidateResult) view {
	t := tally(&full)
	o, ranks := rankValidate(&full)
	isError := full.Verdict == oracleproto.VerdictErrors || t.findings > 0
	return view{order: o, build: func(keep int, c *cutter, left func() omission) Answer {
		v := validated{ValidateResult: full}
		v.Meta = cutMeta(full.Meta, c)
		v.File = c.text(full.File)
		v.ProjectErrors = shownDiagnostics(full.ProjectErrors, ranks.projectErrors, ranks.projectRelated, keep, c)
		v.Diagnostics = shownDiagnostics(full.Diagnostics, ranks.diagnostics, ranks.related, keep, c)
		v.ConformFindings = pick(full.ConformFindings, ranks.findings, keep)
		for i, f := range v.ConformFindings {
			v.ConformFindings[i].Rule, v.ConformFindings[i].Message = c.text(f.Rule), c.text(f.Message)
		}
		v.Advice = shownTexts(full.Advice, ranks.advice, keep, c)
		v.Markers = pick(full.Markers, ranks.markers, keep)
		v.Facts = pick(full.Facts, ranks.facts, keep)
		v.omission = left()

		var r report
		r.line("%s", validateHeadline(q, &v.ValidateResult, t))
		writeValidation(&r, &v.ValidateResult)
		return seal(&r, v.omission, v, isError)
	}}
}

// shownDiagnostics picks and cuts diagnostics and their related places.
func shownDiagnostics(list []oracleproto.Diagnostic, ranks []int, related [][]int, keep int, c *cutter) []oracleproto.Diagnostic {
	shown := make([]oracleproto.Diagnostic, 0, min(len(list), keep))
	for i, d := range list {
		if ranks[i] >= keep {
			continue
		}
		d.Related = pick(d.Related, related[i], keep)
		for j, p := range d.Related {
			d.Related[j].File, d.Related[j].Message = c.text(p.File), c.text(p.Message)
		}
		if _, numeric := d.Code.Number(); !numeric {
			d.Code = oracleproto.TextCode(c.text(d.Code.String()))
		}
		d.Category, d.Message = c.text(d.Category), c.text(d.Message)
		shown = append(shown, d)
	}
	return shown
}

func shownTexts(list []string, ranks []int, keep int, c *cutter) []string {
	shown := pick(list, ranks, keep)
	for i, s := range shown {
		shown[i] = c.text(s)
	}
	return shown
}
