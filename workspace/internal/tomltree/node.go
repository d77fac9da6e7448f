package tomltree

// Kind says what a Node is.
type Kind uint8

// The kinds of TOML values.
const (
	String Kind = iota + 1
	Integer
	Float
	Bool
	DateTime
	Array
	Table
)

// String names the kind as an error message does.
func (k Kind) String() string {
	switch k {
	case String:
		return "a string"
	case Integer:
		return "an integer"
	case Float:
		return "a float"
	case Bool:
		return "a boolean"
	case DateTime:
		return "a date or time"
	case Array:
		return "an array"
	case Table:
		return "a table"
	}
	return "nothing"
}

// Node is a value of the document.
type Node struct {
	Kind Kind
	// Line is where the value's key is, counted from 1; for an item of an
	// array where the item begins.
	Line int
	// Text is a String's value; a Float or a DateTime as it is written.
	Text string
	// Int is an Integer's value.
	Int int64
	// Bool is a Bool's value.
	Bool bool
	// Items are the values of an Array, or the tables of an array of tables.
	Items []*Node
	// Members are a Table's keys in the order of the document.
	Members []Member

	index  map[string]*Node // of Members, once there are many
	origin origin
	of     int // for a dotted table, the section that made it
}

// Member is a key of a table with its value.
type Member struct {
	Key   string
	Value *Node
}

// origin is how a table or an array came to be, which decides what may be
// added to it.
type origin uint8

const (
	closed   origin = iota // an inline table, a static array: complete
	implicit               // named on the way to a header's table
	header                 // [table]
	dotted                 // named on the way to a dotted key
	tables                 // the array made by [[table]]
)

// indexFrom is the number of members from which a table is looked up by map.
const indexFrom = 16

// Get is the value of a key, nil when the table has none.
func (n *Node) Get(key string) *Node {
	if n.index != nil {
		return n.index[key]
	}
	for i := range n.Members {
		if n.Members[i].Key == key {
			return n.Members[i].Value
		}
	}
	return nil
}

// add appends a key that the table does not have.
func (n *Node) add(key string, value *Node) {
	if n.Members == nil {
		n.Members = make([]Member, 0, 4)
	}
	n.Members = append(n.Members, Member{key, value})
	switch {
	case n.index != nil:
		n.index[key] = value
	case len(n.Members) == indexFrom:
		n.index = make(map[string]*Node, 2*indexFrom)
		for _, m := range n.Members {
			n.index[m.Key] = m.Value
		}
	}
}
