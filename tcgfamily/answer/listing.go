package answer

import (
	"fmt"
	"strings"

	"vibevm.org/tcgfamily/oracleproto"
)

// The answers in this file describe code rather than judge it. Their verdict
// is unknown with reason not-checked, which the text does not mention: it is
// no trouble. Any other reason is.

type scoped struct {
	oracleproto.ScopeResult
	omission
}

func checkScope(q Question, r *oracleproto.ScopeResult) error {
	if r.Symbols == nil {
		return malformed(q, "the result has no list of symbols")
	}
	return checkListing(q, &r.Meta)
}

func scopeView(q Question, full oracleproto.ScopeResult) view {
	var o order
	advice := o.addAll("advice", len(full.Advice))
	symbols := o.addAll("symbols", len(full.Symbols))
	branded := o.addAll("branded", len(full.Branded))
	globals := o.addAll("globals", len(full.Globals))
	return view{order: o, build: func(keep int, c *cutter, left func() omission) Answer {
		v := scoped{ScopeResult: full}
		v.Meta = cutMeta(full.Meta, c)
		v.File = c.text(full.File)
		v.Cell, v.SeamFile = c.optional(full.Cell), c.optional(full.SeamFile)
		v.Advice = shownTexts(full.Advice, advice, keep, c)
		v.Symbols = pick(full.Symbols, symbols, keep)
		for i, s := range v.Symbols {
			v.Symbols[i] = oracleproto.Symbol{Name: c.text(s.Name), Kind: c.text(s.Kind), TypeText: c.text(s.TypeText)}
		}
		v.Branded = pick(full.Branded, branded, keep)
		for i, b := range v.Branded {
			v.Branded[i].Name, v.Branded[i].Seam = c.text(b.Name), c.text(b.Seam)
		}
		v.Globals = shownTexts(full.Globals, globals, keep, c)
		v.omission = left()

		var r report
		what := count(len(full.Symbols), "name")
		if n := len(full.Globals); n > 0 {
			what += " and " + count(n, "global")
		}
		writeHeadline(&r, q, &v.Meta, "scope", what, v.File)
		writeAdvice(&r, v.Advice)
		if v.Cell != nil {
			r.line("cell: %s", *v.Cell)
		}
		if v.SeamFile != nil {
			r.line("seam file: %s", *v.SeamFile)
		}
		for _, s := range v.Symbols {
			writeName(&r, s.Name, s.Kind, s.TypeText, "")
		}
		for _, b := range v.Branded {
			mark := ""
			if b.Heuristic {
				mark = " (heuristic)"
			}
			r.line("branded %s in %s%s", b.Name, b.Seam, mark)
		}
		if len(v.Globals) > 0 {
			r.line("globals: %s", strings.Join(v.Globals, ", "))
		}
		return seal(&r, v.omission, v, false)
	}}
}

type completed struct {
	oracleproto.CompleteResult
	omission
}

func checkComplete(q Question, r *oracleproto.CompleteResult) error {
	if r.Entries == nil {
		return malformed(q, "the result has no list of entries")
	}
	r.Total = max(r.Total, len(r.Entries))
	return checkListing(q, &r.Meta)
}

func completeView(q Question, full oracleproto.CompleteResult) view {
	var o order
	advice := o.addAll("advice", len(full.Advice))
	entries := o.addAll("entries", len(full.Entries))
	return view{order: o, build: func(keep int, c *cutter, left func() omission) Answer {
		v := completed{CompleteResult: full}
		v.Meta = cutMeta(full.Meta, c)
		v.File = c.text(full.File)
		v.Advice = shownTexts(full.Advice, advice, keep, c)
		v.Entries = pick(full.Entries, entries, keep)
		for i, e := range v.Entries {
			v.Entries[i] = oracleproto.Entry{Name: c.text(e.Name), Kind: c.text(e.Kind), TypeText: c.text(e.TypeText), Unsafe: e.Unsafe}
		}
		v.omission = left()

		var r report
		what := countOf(len(full.Entries), full.Total)
		if q.Prefix != "" {
			what += fmt.Sprintf(" for prefix %q", c.text(q.Prefix))
		}
		writeHeadline(&r, q, &v.Meta, "complete", what, v.File)
		writeAdvice(&r, v.Advice)
		for _, e := range v.Entries {
			mark := ""
			if e.Unsafe {
				mark = " [unsafe]"
			}
			writeName(&r, e.Name, e.Kind, e.TypeText, mark)
		}
		if full.Total > len(full.Entries) {
			r.line("%d more match; give a longer prefix or a larger max", full.Total-len(full.Entries))
		}
		return seal(&r, v.omission, v, false)
	}}
}

func countOf(n, total int) string {
	switch {
	case total > n:
		return fmt.Sprintf("%d of %d entries", n, total)
	case n == 0:
		return "no entries"
	case n == 1:
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

type typed struct {
	oracleproto.TypeResult
	omission
}

func checkType(q Question, r *oracleproto.TypeResult) error { return checkListing(q, &r.Meta) }

// typeView leaves out lines of the documentation before it cuts the type.
func typeView(q Question, full oracleproto.TypeResult) view {
	var o order
	var lines []string
	if full.Documentation != "" {
		lines = strings.Split(full.Documentation, "\n")
	}
	advice := o.addAll("advice", len(full.Advice))
	documentation := o.addAll("documentation_lines", len(lines))
	return view{order: o, build: func(keep int, c *cutter, left func() omission) Answer {
		v := typed{TypeResult: full}
		v.Meta = cutMeta(full.Meta, c)
		v.File = c.text(full.File)
		v.Display = c.text(full.Display)
		v.Advice = shownTexts(full.Advice, advice, keep, c)
		v.Documentation = strings.Join(shownTexts(lines, documentation, keep, c), "\n")
		v.omission = left()

		var r report
		what := "symbol"
		if full.Display == "" && full.Documentation == "" {
			what = "no symbol"
		}
		writeHeadline(&r, q, &v.Meta, "type", what, v.File)
		writeAdvice(&r, v.Advice)
		if v.Display != "" {
			r.line("%s", v.Display)
		}
		if v.Documentation != "" {
			r.line("documentation:\n%s", v.Documentation)
		}
		return seal(&r, v.omission, v, false)
	}}
}

// checkListing refuses a result without a verdict and takes any judgement out
// of it: nothing was judged.
func checkListing(q Question, m *oracleproto.Meta) error {
	if err := checkMeta(q, m); err != nil {
		return err
	}
	if m.Verdict != oracleproto.VerdictUnknown {
		m.Verdict, m.Reason = oracleproto.VerdictUnknown, oracleproto.ReasonNotChecked
	}
	return nil
}

// writeHeadline opens an answer that describes code, with a line on top when
// its reason is trouble.
func writeHeadline(r *report, q Question, m *oracleproto.Meta, op, what, file string) {
	where := fmt.Sprintf("%s %s %s", atPosition(q.Position), file, origin(m))
	if m.Reason != oracleproto.ReasonNotChecked {
		if m.Engine == nil { // no compiler was reached
			r.line("%s", unknownLine(q, m.Reason, "no answer "+where))
			return
		}
		r.line("%s", unknownLine(q, m.Reason, "this answer may be incomplete"))
	}
	r.line("%s: %s %s", op, what, where)
}

// writeName writes "name kind: type".
func writeName(r *report, name, kind, typeText, mark string) {
	if typeText != "" {
		typeText = ": " + hang(typeText)
	}
	r.line("%s %s%s%s", name, kind, typeText, mark)
}
