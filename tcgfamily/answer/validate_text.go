package answer

import (
	"fmt"
	"strings"

	"vibevm.org/tcgfamily/oracleproto"
)

// validateHeadline is the verdict on the whole result in one line.
func validateHeadline(q Question, r *oracleproto.ValidateResult, t totals) string {
	counts := []string{count(t.errors, "error")}
	for _, c := range []struct {
		n    int
		noun string
	}{
		{t.warnings, "warning"},
		{t.projectErrors, "project error"},
		{t.findings, "policy finding"},
		{t.baselined, "finding"},
	} {
		if c.n > 0 {
			counts = append(counts, count(c.n, c.noun))
		}
	}
	if t.baselined > 0 {
		counts[len(counts)-1] += " in the baseline"
	}
	where := r.File + " " + origin(&r.Meta)
	if r.Verdict != oracleproto.VerdictUnknown {
		return fmt.Sprintf("%s: %s in %s", r.Verdict, strings.Join(counts, ", "), where)
	}
	if t == (totals{}) && r.Coverage == oracleproto.CoverageNone {
		return unknownLine(q, r.Reason, "nothing was checked in "+where)
	}
	return unknownLine(q, r.Reason, strings.Join(counts, ", ")+" seen in "+where)
}

// writeValidation writes what follows the headline, by importance.
func writeValidation(r *report, v *oracleproto.ValidateResult) {
	for _, d := range v.ProjectErrors {
		writeDiagnostic(r, "project ", d)
	}
	writeFindings(r, v.ConformFindings)
	for _, d := range v.Diagnostics {
		writeDiagnostic(r, "", d)
	}
	writeAdvice(r, v.Advice)
	if v.Degraded {
		r.line("degraded: the facts could not be read from the text")
	}
	for _, m := range v.Markers {
		r.line("marker %s", pairs(m))
	}
	for _, f := range v.Facts {
		r.line("fact %s", pairs(f))
	}
}

// writeFindings groups findings by rule, rules in the order they come.
func writeFindings(r *report, findings []oracleproto.Finding) {
	byRule := make(map[string][]oracleproto.Finding)
	for _, f := range findings {
		byRule[f.Rule] = append(byRule[f.Rule], f)
	}
	for _, f := range findings {
		group := byRule[f.Rule]
		delete(byRule, f.Rule)
		if len(group) == 0 {
			continue // written with the first of its rule
		}
		r.line("finding %s:", f.Rule)
		for _, g := range group {
			mark := ""
			if g.Baselined {
				mark = " [baselined]"
			}
			r.line("  %d: %s%s", g.Line, hang(g.Message), mark)
		}
	}
}

// writeDiagnostic writes "LINE:CHARACTER category CODE: message", further
// lines of the message indented, and the places that explain it.
func writeDiagnostic(r *report, prefix string, d oracleproto.Diagnostic) {
	place := ""
	if d.Line > 0 {
		place = fmt.Sprintf("%d:%d ", d.Line, d.Character)
	}
	code := d.Code.String()
	if _, numeric := d.Code.Number(); numeric {
		code = "TS" + code
	}
	if code != "" {
		code = " " + code
	}
	r.line("%s%s%s%s: %s", prefix, place, d.Category, code, hang(d.Message))
	for _, p := range d.Related {
		r.line("    see %s:%d:%d: %s", p.File, p.Line, p.Character, hang(p.Message))
	}
}
