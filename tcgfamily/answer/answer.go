// Package answer turns an oracle's result into what a caller of a tool reads:
// a compact text and its machine-readable twin, both from the same reduced
// result, so that they never disagree. Many hosts show their model only one of
// the two, so each is complete by itself.
//
// Text and twin together stay inside a budget whatever the oracle said; what
// matters least is left out first and counted in `truncated`. No path leads
// from a missing, late or malformed result to the verdict clean.
package answer

import (
	"encoding/json"

	"vibevm.org/tcgfamily/oracleproto"
)

// Answer is what a tool call gives back.
type Answer struct {
	// Text is the report for a reader: verdict first, then findings,
	// diagnostics and the rest. Lines are 1-based and characters 0-based in
	// UTF-16 code units, as in Structured.
	Text string
	// Structured is a JSON object that starts with "verdict". It is the
	// oracle's result with `truncated` and `rest` added when something was
	// left out, or an `error` object after a failure.
	Structured json.RawMessage
	// IsError is true for the verdict errors, a policy finding outside the
	// baseline, a refusal and a failure. It is false for clean code and for
	// an unknown verdict with its reason, a broken configuration included:
	// that says nothing about the file.
	IsError bool
}

// Question is what was asked, as far as the wording of the answer needs it.
type Question struct {
	Tool     string // tool name, such as "tcg_validate"
	Op       string // operation of the oracle protocol
	Language string
	File     string
	Position *oracleproto.Position // nil: not asked about a place
	Prefix   string
	// Inline says that the call brought its own content.
	Inline bool
	// Budget bounds the answer; 0 means DefaultBudget.
	Budget int
}

// Render turns the result of an operation into its answer. The error is an
// *oracleproto.Error of kind protocol for a result that cannot be trusted:
// unreadable, without a verdict, or at odds with itself.
func Render(q Question, result json.RawMessage) (Answer, error) {
	switch q.Op {
	case oracleproto.OpValidate:
		return renderAs(q, result, checkValidate, validateView)
	case oracleproto.OpScope:
		return renderAs(q, result, checkScope, scopeView)
	case oracleproto.OpComplete:
		return renderAs(q, result, checkComplete, completeView)
	case oracleproto.OpType:
		return renderAs(q, result, checkType, typeView)
	}
	return Answer{}, malformed(q, "there is no rendering for operation %q", q.Op)
}

// renderAs decodes a result of type R, checks that it keeps the protocol's
// promises and fits its view into the budget.
func renderAs[R any](
	q Question, raw json.RawMessage,
	check func(Question, *R) error,
	view func(Question, R) view,
) (Answer, error) {
	var result R
	if err := json.Unmarshal(raw, &result); err != nil {
		return Answer{}, malformed(q, "the result of %s cannot be read: %v", q.Op, err)
	}
	if err := check(q, &result); err != nil {
		return Answer{}, err
	}
	return fit(q, len(raw), view(q, result)), nil
}
