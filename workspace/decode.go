package workspace

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"vibevm.org/workspace/internal/tomltree"
)

// decoder fills structs from a TOML tree and notes what does not fit, each
// with its line.
//
// A field's key is its `toml` tag; ",required" after it means that the key has
// to be there. A type that implements checked judges its own value, one that
// implements shaped decodes itself.
type decoder struct {
	problems []problem
	// unknown are keys that have no field.
	unknown []problem
	// at is the way to the value being decoded.
	at []step
}

// step is a key, or an index of an array. Messages alone spell the way out.
type step struct {
	key   string
	index int
}

// isKey is the index of a step that is a key.
const isKey = -1

// problem is one thing that is wrong with a document.
type problem struct {
	line   int
	detail string
}

// checked is a value with rules beyond its TOML type. problem is empty when
// the value is fine, else it completes the sentence "KEY …".
type checked interface{ problem() string }

// shaped is a value that has several TOML forms.
type shaped interface {
	decode(d *decoder, n *tomltree.Node)
}

// path is the way to the value being decoded, as a message shows it.
func (d *decoder) path() string {
	text := ""
	for _, s := range d.at {
		if s.index != isKey {
			text += "[" + strconv.Itoa(s.index) + "]"
		} else {
			text = join(text, s.key)
		}
	}
	return text
}

// fail notes what is wrong with the value being decoded.
func (d *decoder) fail(n *tomltree.Node, format string, args ...any) {
	d.failAt(n, d.path(), format, args...)
}

func (d *decoder) failAt(n *tomltree.Node, path, format string, args ...any) {
	d.problems = append(d.problems, problem{n.Line, path + " " + fmt.Sprintf(format, args...)})
}

// first is the problem that comes first in the document, and how many more
// there are.
func first(problems []problem) (p problem, more int) {
	p = slices.MinFunc(problems, func(a, b problem) int { return a.line - b.line })
	return p, len(problems) - 1
}

// member decodes the value of a key.
func (d *decoder) member(v reflect.Value, key string, n *tomltree.Node) {
	d.at = append(d.at, step{key, isKey})
	d.value(v, n)
	d.at = d.at[:len(d.at)-1]
}

// value decodes a node into v, a settable value.
func (d *decoder) value(v reflect.Value, n *tomltree.Node) {
	target := v.Addr().Interface()
	if s, ok := target.(shaped); ok {
		s.decode(d, n)
		return
	}
	want := tomltree.Table
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.value(v.Elem(), n)
		return
	case reflect.String:
		want = tomltree.String
	case reflect.Bool:
		want = tomltree.Bool
	case reflect.Int64:
		want = tomltree.Integer
	case reflect.Slice:
		want = tomltree.Array
	}
	if n.Kind != want {
		d.fail(n, "is %s where %s belongs", n.Kind, want)
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(n.Text)
	case reflect.Bool:
		v.SetBool(n.Bool)
	case reflect.Int64:
		v.SetInt(n.Int)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), len(n.Items), len(n.Items)))
		for i, item := range n.Items {
			d.at = append(d.at, step{index: i})
			d.value(v.Index(i), item)
			d.at = d.at[:len(d.at)-1]
		}
	case reflect.Map:
		d.table(v, n)
	case reflect.Struct:
		d.structure(v, n)
	}
	if c, ok := target.(checked); ok {
		d.check(c, n)
	}
}

func (d *decoder) check(c checked, n *tomltree.Node) {
	if wrong := c.problem(); wrong != "" {
		d.fail(n, "%s", wrong)
	}
}

// table decodes a table whose keys are free, into a map.
func (d *decoder) table(v reflect.Value, n *tomltree.Node) {
	t := v.Type()
	v.Set(reflect.MakeMapWithSize(t, len(n.Members)))
	for _, m := range n.Members {
		item := reflect.New(t.Elem()).Elem()
		d.member(item, m.Key, m.Value)
		key := reflect.ValueOf(m.Key).Convert(t.Key())
		v.SetMapIndex(key, item)
		if c, ok := key.Interface().(checked); ok {
			d.at = append(d.at, step{m.Key, isKey})
			d.check(c, m.Value)
			d.at = d.at[:len(d.at)-1]
		}
	}
}

// structure decodes a table whose keys are known.
func (d *decoder) structure(v reflect.Value, n *tomltree.Node) {
	known := fieldsOf(v.Type())
	for _, m := range n.Members {
		i := slices.IndexFunc(known, func(f field) bool { return f.key == m.Key })
		if i < 0 {
			d.unknown = append(d.unknown, problem{m.Value.Line, unknownKey(d.path(), m.Key, known)})
			continue
		}
		d.member(v.Field(known[i].index), m.Key, m.Value)
	}
	for _, f := range known {
		if f.required && n.Get(f.key) == nil {
			where := d.path()
			if where == "" {
				where = "the file"
			}
			d.problems = append(d.problems, problem{n.Line, fmt.Sprintf("%s has no %s", where, f.key)})
		}
	}
}

func unknownKey(path, key string, known []field) string {
	names := make([]string, len(known))
	for i, f := range known {
		names[i] = f.key
	}
	where := "the file's top level"
	if path != "" {
		where = path
	}
	if near := nearest(key, names); near != "" {
		return fmt.Sprintf("%s is no key of %s; did you mean %s?", quoted(key), where, near)
	}
	return fmt.Sprintf("%s is no key of %s; it takes %s", quoted(key), where, strings.Join(names, ", "))
}

// quoted bounds what a message repeats of a file.
func quoted(s string) string {
	if r := []rune(s); len(r) > 60 {
		s = string(r[:60]) + "…"
	}
	return strconv.Quote(s)
}

func join(path, key string) string {
	if key == "" || strings.Trim(key, lower+upper+digit+"_-") != "" {
		key = quoted(key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// field is a key of a struct.
type field struct {
	key      string
	index    int
	required bool
}

var structFields sync.Map // reflect.Type to []field

func fieldsOf(t reflect.Type) []field {
	if cached, ok := structFields.Load(t); ok {
		return cached.([]field)
	}
	var fields []field
	for i := range t.NumField() {
		tag, tagged := t.Field(i).Tag.Lookup("toml")
		if !tagged {
			continue
		}
		key, option, _ := strings.Cut(tag, ",")
		fields = append(fields, field{key, i, option == "required"})
	}
	structFields.Store(t, fields)
	return fields
}

// nearest is the known name that an unknown one probably means, or "".
func nearest(name string, known []string) string {
	folded := strings.ToLower(strings.ReplaceAll(name, "-", "_"))
	best, bestDistance := "", 3 // two slips at most
	for _, k := range known {
		if len(folded) > 2*len(k)+2 {
			continue // also keeps the distance cheap for absurd names
		}
		if d := editDistance(folded, strings.ReplaceAll(k, "-", "_")); d < bestDistance && d < len(k) {
			best, bestDistance = k, d
		}
	}
	return best
}

// editDistance is the Levenshtein distance in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substituted := diagonal
			if a[i] != b[j] {
				substituted++
			}
			diagonal = row[j+1]
			row[j+1] = min(substituted, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
