package answer

import (
	"fmt"
	"time"

	"vibevm.org/tcgfamily/oracleproto"
)

// failed is the twin of a failure. The verdict is there so that nobody who
// looks at it alone can take a failure for a judgement; the lists of a result
// are not, so that nobody can take their absence for emptiness.
type failed struct {
	Verdict  oracleproto.Verdict  `json:"verdict"`
	Reason   oracleproto.Reason   `json:"reason"`
	Coverage oracleproto.Coverage `json:"coverage"`
	Error    oracleproto.Error    `json:"error"`
	omission
}

// Failure is the answer to a call that was refused or failed: its kind, what
// happened and the fix, in the text and in the twin's `error`.
func Failure(q Question, failure *oracleproto.Error) Answer {
	return fit(q, len(failure.Detail)+len(failure.Recipe), view{build: func(_ int, c *cutter, left func() omission) Answer {
		v := failed{
			Verdict: oracleproto.VerdictUnknown,
			Error: oracleproto.Error{
				Kind:   oracleproto.Kind(c.text(string(failure.Kind))),
				Detail: c.text(failure.Detail),
				Recipe: c.text(failure.Recipe),
			},
			Coverage: oracleproto.CoverageNone,
		}
		// Kinds and reasons share their words where both exist: timeout,
		// oracle-crashed.
		v.Reason = oracleproto.Reason(v.Error.Kind)
		v.omission = left()

		var r report
		r.line("%s failed: %s: %s", c.text(q.Tool), v.Error.Kind, v.Error.Detail)
		if v.Error.Recipe != "" {
			r.line("fix: %s", v.Error.Recipe)
		}
		return seal(&r, v.omission, v, true)
	}})
}

// Unanswered is the full result of a question whose answer did not come in
// time, with every list empty and nothing checked.
func Unanswered(q Question, reason oracleproto.Reason, elapsed time.Duration) Answer {
	meta := oracleproto.Meta{
		Verdict:   oracleproto.VerdictUnknown,
		Reason:    reason,
		Coverage:  oracleproto.CoverageNone,
		Source:    oracleproto.SourceDisk,
		ElapsedMS: float64(elapsed.Microseconds()) / 1000,
	}
	if q.Inline {
		meta.Source = oracleproto.SourceContent
	}
	var v view
	switch q.Op {
	case oracleproto.OpScope:
		v = scopeView(q, oracleproto.ScopeResult{Meta: meta, File: q.File})
	case oracleproto.OpComplete:
		v = completeView(q, oracleproto.CompleteResult{Meta: meta, File: q.File})
	case oracleproto.OpType:
		v = typeView(q, oracleproto.TypeResult{Meta: meta, File: q.File})
	default:
		v = validateView(q, oracleproto.ValidateResult{Meta: meta, File: q.File})
	}
	return fit(q, 0, v)
}

// checkMeta refuses a result without a usable verdict.
func checkMeta(q Question, m *oracleproto.Meta) error {
	switch m.Verdict {
	case oracleproto.VerdictClean, oracleproto.VerdictErrors:
		return nil
	case oracleproto.VerdictUnknown:
		if m.Reason == "" {
			return malformed(q, "the verdict is unknown without a reason")
		}
		return nil
	}
	return malformed(q, "the result has no verdict (%.40q)", m.Verdict)
}

// malformed is the error for a result that breaks the protocol.
func malformed(q Question, format string, args ...any) error {
	return &oracleproto.Error{
		Kind:   oracleproto.KindProtocol,
		Detail: "the " + q.Language + " oracle broke the protocol: " + fmt.Sprintf(format, args...),
		Recipe: "install the oracle and this server in the same version and call again",
	}
}
