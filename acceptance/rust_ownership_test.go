package acceptance_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ownership are mistakes that only the borrow checker or rustc's trait solver
// finds, with what their answers must name.
var ownership = []struct {
	name, file, find, text string
	code, says             string
}{
	{
		name: "use after move", code: "E0382", says: "borrow of moved value: `cart`",
		file: mainFile, find: "let quote = Quote::of(&cart)?;", text: "let bought = cart;\n    let quote = Quote::of(&cart)?;\n    println!(\"{bought:?}\");",
	},
	{
		name: "two mutable borrows", code: "E0499", says: "cannot borrow `cart` as mutable more than once at a time",
		file: mainFile, find: "cart.add(&name, 1)?;", text: "let first = cart.add(&name, 1)?;\n        cart.add(\"tea\", 1)?;\n        first.quantity += 1;",
	},
	{
		name: "a reference to a local is returned", code: "E0515", says: "cannot return",
		file: vatFile, text: "pub fn label(rate: f64) -> &'static str {\n    let text = format!(\"{rate} %\");\n    &text\n}",
	},
	{
		name: "missing lifetime", code: "E0106", says: "missing lifetime specifier",
		file: vatFile, text: "pub fn longer(a: &str, b: &str) -> &str {\n    if a.len() < b.len() { b } else { a }\n}",
	},
	{
		name: "what may not be sent to a thread", code: "E0277", says: "cannot be sent between threads safely",
		file: quoteFile, find: "let quotes = quotes.clone();", text: "let quotes = std::rc::Rc::new(quotes.clone());",
	},
}

// With nothing asked for, the borrow checker's errors are found in code that is
// nowhere on disk, and nothing of the user's is touched: not the sources, not
// the lock file, not the target directory.
func TestBorrowCheckerJudgesWhatIsNotOnDisk(t *testing.T) {
	t.Parallel()
	project := newRustShop(t)
	cargoBuild(t, project.Dir)
	session := serveRust(t, project, "--full-budget", "40s")
	// The first answer makes target/tcg.
	assertClean(t, callTool(t, session, "tcg_validate", object{"file": vatFile, "depth": "full"}))
	// What rustc says of itself is written down by whoever asks cargo.
	ours := []string{"target/tcg", "target/.rustc_info.json"}
	before, err := project.Checksum(ours...)
	require.NoError(t, err)
	for _, o := range ownership {
		content := mistake{name: o.name, file: o.file, find: o.find, text: o.text}.content(t, project)
		result, v := judge(t, session, object{"file": o.file, "content": content})
		assert.Equal(t, []string{o.code}, v.codes(), "%s: %s", o.name, result.Text)
		assert.Contains(t, result.Text, o.says, o.name)
		assertClean(t, callTool(t, session, "tcg_validate", object{"file": o.file}))
	}
	after, err := project.Checksum(ours...)
	require.NoError(t, err)
	assert.Equal(t, before, after, "something of the user's changed")
	// Had it, cargo would have something to do.
	assert.Empty(t, cargoBuild(t, project.Dir))
}
