package answer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
)

// Budgets in characters of the whole tool result as JSON: the text escaped,
// the structured content and the envelope around them. The default is the cut
// of the tightest host. Bytes of the widest usual encoding are counted, which
// no host's own count exceeds (encodedLen).
const (
	DefaultBudget = 8000
	MinBudget     = 2000
	MaxBudget     = 200000
)

const (
	// minLimit is how short texts may be cut; with it, an answer that shows
	// no items fits MinBudget.
	minLimit = 64
	// quickItems is up to how many items the whole answer is tried at once.
	quickItems = 256
)

// envelope is what a server puts around text and structured content.
const envelope = `{"content":[{"type":"text","text":""}],"structuredContent":,"isError":false}`

// size is what the answer counts against the budget.
func (a *Answer) size() int {
	return len(envelope) + encodedLen(a.Text) + escapedLen(a.Structured)
}

// escapedLen is the length of compact JSON once encoding/json has escaped it
// for HTML, as it does with every raw message.
func escapedLen(raw json.RawMessage) int {
	n := len(raw)
	for _, b := range raw {
		if b == '<' || b == '>' || b == '&' {
			n += widestByte - 1
		}
	}
	return n + 3*(bytes.Count(raw, []byte("\u2028"))+bytes.Count(raw, []byte("\u2029")))
}

// view is a result that can be shown in part.
type view struct {
	// order names the items of the result, the most important first.
	order order
	// build makes the answer with the keep most important items and every text
	// passed through the cutter, after which left says what is missing.
	build func(keep int, c *cutter, left func() omission) Answer
}

// order ranks the items of a result by importance.
type order struct {
	kinds []string // kinds[i] names the kind of the item of rank i
	// required is how many items from the front are kept as long as
	// shortening texts makes room for them.
	required int
}

// add gives an item the next rank.
func (o *order) add(kind string) int {
	o.kinds = append(o.kinds, kind)
	return len(o.kinds) - 1
}

// addAll ranks a list of n items of one kind.
func (o *order) addAll(kind string, n int) []int {
	ranks := make([]int, n)
	for i := range ranks {
		ranks[i] = o.add(kind)
	}
	return ranks
}

// pick returns the items of a rank below keep, in their own order, never nil.
func pick[T any](list []T, ranks []int, keep int) []T {
	shown := make([]T, 0, min(len(list), keep))
	for i, item := range list {
		if ranks[i] < keep {
			shown = append(shown, item)
		}
	}
	return shown
}

// omission says what an answer left out; the zero value is nothing.
type omission struct {
	// Truncated counts what was left out by kind; cut_texts counts texts that
	// are there but shortened.
	Truncated map[string]int `json:"truncated,omitempty"`
	// Rest says how to get it.
	Rest string `json:"rest,omitempty"`
}

// fit builds the fullest answer that stays under the question's budget: whole
// if possible, else without the least important items, else with shortened
// texts. Whatever it returns was measured, apart from an answer without any
// item and with the shortest texts, for which MinBudget is enough. resultSize
// is the size of the oracle's result, from which the budget for the whole
// answer is estimated.
func fit(q Question, resultSize int, v view) Answer {
	budget := q.Budget
	if budget == 0 {
		budget = DefaultBudget
	}
	all := len(v.order.kinds)
	build := func(keep, limit int) Answer {
		c := &cutter{limit: limit}
		return v.build(keep, c, func() omission {
			return leftOut(v.order, keep, c.cuts, budget, resultSize)
		})
	}
	fits := func(keep, limit int) bool {
		a := build(keep, limit)
		return a.size() < budget
	}

	if all <= quickItems {
		if a := build(all, noLimit); a.size() < budget {
			return a
		}
	}
	limit := noLimit
	if !fits(v.order.required, limit) {
		limit = minLimit + most(budget/2-minLimit, func(n int) bool { return fits(v.order.required, minLimit+n) })
	}
	keep := most(all, func(n int) bool { return fits(n, limit) })
	a := build(keep, limit)
	if eighth := budget / 8; keep < all && limit > eighth && a.size() < budget/2 {
		// One long text is in the way of everything behind it.
		if more := most(all, func(n int) bool { return fits(n, eighth) }); more > keep {
			return build(more, eighth)
		}
	}
	return a
}

// most is the largest n up to all that fits, 0 if none does. Small ones are
// tried first, so that no try is much larger than what fits.
func most(all int, fits func(int) bool) int {
	beyond := 1
	for beyond <= all && fits(beyond) {
		beyond *= 2
	}
	known := beyond / 2
	beyond = min(beyond, all+1)
	return known + sort.Search(beyond-known-1, func(i int) bool { return !fits(known + 1 + i) })
}

// leftOut describes an answer that shows the keep most important items.
func leftOut(o order, keep, cuts, budget, resultSize int) omission {
	if keep >= len(o.kinds) && cuts == 0 {
		return omission{}
	}
	counts := make(map[string]int)
	for _, kind := range o.kinds[keep:] {
		counts[kind]++
	}
	if cuts > 0 {
		counts["cut_texts"] = cuts
	}
	return omission{Truncated: counts, Rest: restHint(budget, resultSize)}
}

// restHint names the budget that holds everything. Twin and text are each
// about as long as the result.
func restHint(budget, resultSize int) string {
	need := (2*resultSize/1000 + 2) * 1000
	switch {
	case budget >= MaxBudget:
		return "ask about less: this is the largest budget"
	case need > MaxBudget:
		return fmt.Sprintf("call again with a larger budget, at most %d", MaxBudget)
	default:
		return fmt.Sprintf("call again with budget %d", max(need, min(2*budget, MaxBudget)))
	}
}
