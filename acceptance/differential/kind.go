package differential

// Kind is what keeps company with an edit in one run of the compiler.
type Kind int

const (
	// Semantic has errors of types.
	Semantic Kind = iota
	// Silent has no errors.
	Silent
	// Syntax ends the compilation before types are checked.
	Syntax
	// Declarations has errors that are looked for when there are no others.
	Declarations
)

// Guess guesses the kind from an answer. The checker's grammar errors have
// codes like those of the parser, and the parser has some of the checker's.
func (a Answer) Guess() Kind {
	syntax, declarations := true, true
	for _, d := range a.Diagnostics {
		n := d.Code
		syntax = syntax && (n < 2000 || n == 2657 || 8000 <= n && n < 9000 || 17000 <= n && n < 19000)
		declarations = declarations && (4000 <= n && n < 4112 || 9005 <= n && n < 9040 || n == 2527 || n == 2742 || n == 2883 || n == 7056)
	}
	switch {
	case len(a.Diagnostics) == 0:
		return Silent
	case syntax:
		return Syntax
	case declarations:
		return Declarations
	default:
		return Semantic
	}
}
