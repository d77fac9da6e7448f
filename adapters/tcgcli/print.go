package tcgcli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"vibevm.org/tcgfamily/oracleproto"
)

// print shows a result: JSON when asked for, else lines a person and an
// editor's jump-to-location can use.
func (inv *invocation) print(result any) error {
	w := &lines{w: inv.streams.Out}
	switch r := result.(type) {
	case oracleproto.ValidateResult:
		if !inv.options.json {
			w.validation(r)
			return w.err
		}
	case oracleproto.ScopeResult:
		if !inv.options.json {
			for _, s := range r.Symbols {
				w.entry(s.Name, s.Kind, s.TypeText)
			}
			for _, g := range r.Globals {
				w.entry(g, "global", "")
			}
			w.advice(r.Advice)
			return w.err
		}
	case oracleproto.CompleteResult:
		if !inv.options.json {
			for _, e := range r.Entries {
				w.entry(e.Name, e.Kind, e.TypeText)
			}
			if r.Total > len(r.Entries) {
				w.line("%d of %d entries; more with --max or --prefix", len(r.Entries), r.Total)
			}
			w.advice(r.Advice)
			return w.err
		}
	case oracleproto.TypeResult:
		if !inv.options.json {
			w.typeInfo(r)
			return w.err
		}
	}
	enc := json.NewEncoder(inv.streams.Out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(result)
}

// lines writes lines until one fails.
type lines struct {
	w   io.Writer
	err error
}

func (l *lines) line(format string, args ...any) {
	if l.err == nil {
		_, l.err = fmt.Fprintf(l.w, format+"\n", args...)
	}
}

func (l *lines) advice(advice []string) {
	for _, a := range advice {
		l.line("advice: %s", a)
	}
}

func (l *lines) validation(r oracleproto.ValidateResult) {
	for _, f := range r.ConformFindings {
		note := ""
		if f.Baselined {
			note = " [baselined]"
		}
		l.line("%s:%d %s %s%s", r.File, f.Line, f.Rule, f.Message, note)
	}
	for _, d := range r.ProjectErrors {
		l.diagnostic(r.ConfigFile, r.Engine, d)
	}
	for _, d := range r.Diagnostics {
		l.diagnostic(r.File, r.Engine, d)
	}
	l.advice(r.Advice)
	verdict := string(r.Verdict)
	if r.Reason != "" {
		verdict += " (" + string(r.Reason) + ")"
	}
	l.line("%s: %s, %s %s, %.0f ms", verdict, r.File, r.Engine.Name, r.Engine.Version, r.ElapsedMS)
}

func (l *lines) diagnostic(file string, engine *oracleproto.Engine, d oracleproto.Diagnostic) {
	code := d.Code.String()
	if _, numeric := d.Code.Number(); numeric && engine.Name == "typescript" {
		code = "TS" + code
	}
	// People and editors count columns from 1, as tsc prints them.
	l.line("%s:%d:%d %s %s: %s", file, d.Line, d.Character+1, d.Category, code, d.Message)
	for _, r := range d.Related {
		l.line("  %s:%d:%d %s", r.File, r.Line, r.Character+1, r.Message)
	}
}

func (l *lines) entry(name, kind, typeText string) {
	l.line("%s", strings.TrimRight(fmt.Sprintf("%-24s %-12s %s", name, kind, typeText), " "))
}

func (l *lines) typeInfo(r oracleproto.TypeResult) {
	if r.Display == "" && r.Documentation == "" {
		l.line("nothing with a type at this position")
	} else {
		l.line("%s", strings.TrimSpace(r.Display+"\n\n"+r.Documentation))
	}
	l.advice(r.Advice)
}
