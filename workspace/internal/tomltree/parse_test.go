package tomltree_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/workspace/internal/tomltree"
)

// plain turns a tree into what the reference library decodes to, floats and
// times as far as they can be compared.
func plain(n *tomltree.Node) any {
	switch n.Kind {
	case tomltree.String:
		return n.Text
	case tomltree.Integer:
		return n.Int
	case tomltree.Bool:
		return n.Bool
	case tomltree.Float:
		f, err := strconv.ParseFloat(strings.ReplaceAll(n.Text, "_", ""), 64)
		if err != nil || math.IsNaN(f) {
			return "float"
		}
		return f
	case tomltree.DateTime:
		return "time"
	case tomltree.Array:
		list := []any{}
		for _, item := range n.Items {
			list = append(list, plain(item))
		}
		return list
	default:
		table := map[string]any{}
		for _, m := range n.Members {
			table[m.Key] = plain(m.Value)
		}
		return table
	}
}

// same brings the reference library's values into the form of plain.
func same(v any) any {
	switch v := v.(type) {
	case map[string]any:
		table := map[string]any{}
		for k, item := range v {
			table[k] = same(item)
		}
		return table
	case []map[string]any:
		list := []any{}
		for _, item := range v {
			list = append(list, same(item))
		}
		return list
	case []any:
		list := []any{}
		for _, item := range v {
			list = append(list, same(item))
		}
		return list
	case float64:
		if math.IsNaN(v) {
			return "float"
		}
		return v
	case time.Time:
		return "time"
	}
	return v
}

// documents that the reference library and ours must read alike.
var documents = []string{
	"", "# nothing\n", "\uFEFFa = 1", "a = 1\r\nb = 2\r\n", "a=1", "a = 1 # one", "\t a\t=\t1\t\n",
	"a = 1\na = 2", "a = 1 b = 2", "= 1", "a", "a =", "a = \n1", "a. = 1", ".a = 1", "a..b = 1", "a . b = 1",
	`"" = 1`, `'' = 1`, `"a.b" = 1`, `'a b'.c = 1`, `"a\nb" = 1`, "\"\"\"a\"\"\" = 1", "ä = 1", "1.2 = 3", "-_ = 1",
	`s = "x"`, `s = ""`, `s = "\b\t\n\f\r\"\\\e"`, `s = "\u00e4\U0001F600\x41"`, `s = "\q"`, `s = "\ud800"`, `s = "\U00110000"`, `s = "\u12"`,
	"s = \"a\nb\"", "s = \"a", "s = 'a\\'", "s = 'a", "s = \"a\x01\"", "s = 'a\tb'", "s = \"a\x7f\"",
	"s = \"\"\"\nx\ny\"\"\"", "s = \"\"\"a\\\n   b\"\"\"", "s = \"\"\"a\\  \n\n  b\"\"\"", "s = \"\"\"a\\ b\"\"\"", "s = \"\"\"\"\"\"\"\"", "s = \"\"\"\"\"\"\"\"\"\"", "s = '''\n'a'''''",
	"s = '''a", "s = \"\"\"a\r\nb\"\"\"", "s = '''a\rb'''", "s = \"\"\"a\\\"\"\"\"",
	"i = 0", "i = -0", "i = +1", "i = 007", "i = 1_000", "i = _1", "i = 1_", "i = 1__0", "i = 0xDEAD_beef", "i = 0o17", "i = 0b11", "i = 0o8", "i = 0x", "i = -0x1", "i = 9223372036854775807", "i = 9223372036854775808", "i = -9223372036854775808",
	"f = 1.0", "f = .5", "f = 1.", "f = 1e3", "f = 1E-3", "f = 1.5e+3", "f = inf", "f = -nan", "f = 1_0.0_1", "f = 01.0", "f = 1e", "f = 1e400", "f = 1e-400", "f = 1.e1", "f = +0.0",
	"b = true", "b = False", "b = truefalse", "b = tru",
	"d = 1979-05-27", "d = 1979-05-27T07:32:00Z", "d = 1979-05-27 07:32:00", "d = 1979-05-27t07:32:00.5-07:00", "d = 07:32:00", "d = 07:32", "d = 07:32:00.999999", "d = 1979-02-30", "d = 25:00:00", "d = 1979-05-27T7:32:00", "d = 1979-05-27T", "d = 1979-05-27 #c", "d = 07:60", "d = 1979-05-27T07:32:00.Z",
	"a = []", "a = [1, 2,]", "a = [1 2]", "a = [,]", "a = [1,,2]", "a = [\n1, # one\n2\n]", "a = [[1], ['a']]", "a = [1", "a = [1, \"a\", {b = 1}]",
	"t = {}", "t = {a = 1, b = 2}", "t = {a = 1,}", "t = {\n a = 1\n}", "t = {a = 1 b = 2}", "t = {a.b = 1, a.c = 2}", "t = {a = 1, a = 2}", "t = {a = 1}\n[t]", "t = {", "t = {,}", "t = {a = {b = {c = 1}}}", "t = {a = 1}\n[[t]]",
	"[a]\nb = 1", "[a]\n[a]", "[a.b]\n[a]\nc = 1", "[a]\n[a.b]\n[a]", "[a.b.c]\n[a.b]\nd = 1\n[a]\ne = 1", "[ a . b ]", "[a", "[a]]", "[]", "[a.]", "[a] b = 1", "a = 1\n[a]", "a = 1\n[a.b]", "a.b = 1\n[a.c]", "[a]\nb.c = 1\n[a.b.d]", "[a]\nb.c = {d = 1}\nb.e = 2",
	"[[a]]\n[[a]]", "[[a]]\nb = 1\n[a.c]\nd = 1\n[[a]]\n[a.c]\nd = 2", "[[a]]\n[a]", "[a]\n[[a]]", "a = []\n[[a]]", "a = [{}]\n[a.b]", "[[a.b]]\n[a]\nc = 1", "[a.b]\n[[a]]", "[[a]]\n[[a.b]]\n[[a]]\n[[a.b]]", "[ [a]]", "[[a] ]", "[[ a ]]",
	"a = \"\\", "a = 1\x00", "# \x00", "a = 'ä'", "a = '\xff'", "\xff", "a = 1\rb = 2", "[a]\r\nb = 1\r\n", "a = [1,\r\n2]",
	"a.b.c = 1\na.b.d = 2\na.e = 3", "a.b = 1\na.b.c = 2",
}

func TestReadsWhatTheReferenceReads(t *testing.T) {
	t.Parallel()
	for _, text := range documents {
		compare(t, text)
	}
}

// The specification forbids these; the reference library takes them.
func TestDefinesNothingTwice(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"t = {a = 1}\nt.b = 2",
		"t = {a.b = 1}\n[t.a]",
		"t = {a = 1}\n[t.b]",
		"a.b = 1\n[a]",
		"[a]\nb.c = 1\n[a.b]",
		"[a.b]\nx = 1\n[a]\nb.c = 2",
		"[[a.b]]\n[[a.b]]\n[a]\nb.c = 1",
		"a.b.c = 1\na.b = 2",
		"a.b = {}\na.b.c = 1",
	} {
		_, err := tomltree.Parse(text)
		assert.Error(t, err, "%q", text)
	}
}

func compare(t *testing.T, text string) {
	t.Helper()
	reference := map[string]any{}
	_, theirs := toml.Decode(text, &reference)
	tree, ours := tomltree.Parse(text)
	if theirs != nil {
		assert.Error(t, ours, "%q is refused by the reference: %v", text, theirs)
		return
	}
	if assert.NoError(t, ours, "%q", text) {
		assert.Equal(t, same(reference), plain(tree), "%q", text)
	}
}

func TestErrorsHaveTheirLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a = 1\nb = \n":                       `line 2: the end of the line where a value should be`,
		"a = 1\nb = yes":                      `line 2: "yes" is no value; a string needs quotes`,
		"a = 1\n\na = 2":                      `line 3: a is already defined on line 1`,
		"[a]\n\n[a]":                          `line 3: a is defined a second time; it is already on line 1`,
		"a = 1 b":                             `line 1: 'b' follows what should be the end of the line`,
		"a = \"x\n":                           `line 1: a string does not end: the end of the line`,
		"a = '''\nx\n\n":                      `line 2: a string in three quotes does not end`,
		"a = [\n1,\n2 3]":                     `line 3: '3' in an array where "," or "]" should be`,
		"a = 1\nb\n":                          `line 2: the end of the line where "=" should follow a key`,
		"a = 1\n[b c]":                        `line 2: 'c' in the header of a table`,
		"a = \"\\q\"":                         `line 1: a string holds the unknown escape \q`,
		"x = 1\ny = '\xff'":                   `line 2: the text is not UTF-8`,
		"<<<<<<< HEAD\n[meta]\n":              `line 1: '<' where a key should be`,
		"a = " + strings.Repeat("[", 100_000): `line 1: values are nested more than 64 deep`,
		strings.Repeat("a.", 100_000) + "b=1": `line 1: a key has more than 64 parts`,
	} {
		_, err := tomltree.Parse(text)
		require.Error(t, err, "%.40q", text)
		assert.Equal(t, want, err.Error(), "%.40q", text)
	}
}

func TestEveryKeyHasItsLine(t *testing.T) {
	t.Parallel()
	tree, err := tomltree.Parse(strings.Join([]string{
		"a = 1", "s = '''", "x", "'''", "[t]", "b = [", "  1,", "  {c = 2},", "]", "[[list]]", "d.e = 1", "[[list]]", "d.e = 2", "[list.f]",
	}, "\n"))
	require.NoError(t, err)
	lines := map[string]int{}
	var walk func(path string, n *tomltree.Node)
	walk = func(path string, n *tomltree.Node) {
		lines[path] = n.Line
		for i, item := range n.Items {
			walk(fmt.Sprintf("%s[%d]", path, i), item)
		}
		for _, m := range n.Members {
			walk(path+"."+m.Key, m.Value)
		}
	}
	walk("", tree)
	assert.Equal(t, map[string]int{
		"": 1, ".a": 1, ".s": 2, ".t": 5, ".t.b": 6, ".t.b[0]": 7, ".t.b[1]": 8, ".t.b[1].c": 8,
		".list": 10, ".list[0]": 10, ".list[0].d": 11, ".list[0].d.e": 11,
		".list[1]": 12, ".list[1].d": 13, ".list[1].d.e": 13, ".list[1].f": 14,
	}, lines)
}

func TestALargeTableIsLookedUpByMap(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&text, "k%d = %d\n", i, i)
	}
	started := time.Now()
	tree, err := tomltree.Parse(text.String())
	require.NoError(t, err)
	assert.Equal(t, int64(199_999), tree.Get("k199999").Int)
	assert.Nil(t, tree.Get("k200000"))
	// Some 60 ms; a quadratic search takes minutes.
	assert.Less(t, time.Since(started), 20*time.Second)
}

func FuzzParse(f *testing.F) {
	for _, text := range documents {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := tomltree.Parse(text)
		if err != nil {
			return
		}
		reference := map[string]any{}
		if _, err := toml.Decode(text, &reference); err != nil {
			t.Fatalf("%q is refused by the reference: %v", text, err)
		}
		assert.Equal(t, same(reference), plain(tree), "%q", text)
	})
}
