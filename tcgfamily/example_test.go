package tcgfamily_test

import (
	"context"
	"encoding/json"
	"fmt"

	"vibevm.org/tcgfamily"
)

// cannedOracle stands for a registry of real oracles.
type cannedOracle struct{ result string }

func (o cannedOracle) Ask(context.Context, tcgfamily.Language, string, any) (json.RawMessage, error) {
	return json.RawMessage(o.result), nil
}

func (cannedOracle) Warm(tcgfamily.Language) bool { return true }

// A server for one language mounts the family over its oracles and passes
// calls on.
func ExampleFamily_Call() {
	oracle := cannedOracle{`{"verdict":"errors","engine":{"name":"typescript","version":"7.0.2"},"coverage":"compiler",
		"source":"content","config_file":"tsconfig.json","elapsed_ms":4,"file":"src/cart.ts","diagnostics":[
		{"code":2322,"category":"error","message":"Type 'string' is not assignable to type 'number'.","line":1,"character":13}],
		"conform_findings":[],"advice":[],"facts":[],"markers":[],"degraded":false}`}
	family := tcgfamily.New(oracle, tcgfamily.Standalone(tcgfamily.TypeScript))

	args := json.RawMessage(`{"file":"src/cart.ts","content":"export const total: number = \"1\";"}`)
	answer, err := family.Call(context.Background(), "tcg_validate", args, nil)
	fmt.Println(answer.Text)
	fmt.Println(answer.IsError, err)
	// Output:
	// errors: 1 error in src/cart.ts (typescript 7.0.2, hypothetical content, tsconfig.json, 4 ms)
	// 1:13 error TS2322: Type 'string' is not assignable to type 'number'.
	// true <nil>
}

// A call that cannot be understood is answered with what would be.
func ExampleFamily_Call_refused() {
	family := tcgfamily.New(cannedOracle{}, tcgfamily.Multiplexed())
	answer, err := family.Call(context.Background(), "tcg_type", json.RawMessage(`{"language":"rust","path":"src/lib.rs"}`), nil)
	fmt.Println(answer.Text)
	fmt.Println(answer.IsError, err)
	// Output:
	// tcg_type failed: bad-arguments: tcg_type has no argument "path"; did you mean file? it takes language, file, position, content, budget
	// fix: call tcg_type with arguments like {"language":"rust","file":"src/cart.rs","position":{"line":1,"character":10},"content":"pub const TOTAL: u32 = 1;"}
	// true <nil>
}

func ExampleFamily_Tools() {
	family := tcgfamily.New(cannedOracle{}, tcgfamily.Standalone(tcgfamily.Rust))
	for _, tool := range family.Tools() {
		fmt.Printf("%s: %s\n", tool.Name, tool.Title)
	}
	// Output:
	// tcg_validate: Would this code compile?
	// tcg_scope: What is in scope here?
	// tcg_complete: What can I call on this?
	// tcg_type: What type is this?
}
