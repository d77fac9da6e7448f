package native

// What the scanner knows of operands: where an expression or a type begins, in
// front of which others can be put.

// keyword notes what a word says about its statement.
func (s *scanner) keyword(text string) {
	f := s.top()
	switch text {
	case "class", "interface", "enum", "namespace", "module", "function", "switch":
		if f.kind != classBody && f.kind != braces {
			f.head = text
		}
	case "case", "default":
		if f.kind == cases {
			f.label, f.binds = true, true
		}
	}
	switch text {
	case "class", "interface", "enum", "function", "type", "for", "catch", "infer":
		f.binds = true
	}
	switch text {
	case "return", "yield", "case", "in", "of":
		f.operand = operand{offset: s.at, isType: s.inType()}
	case "extends", "is":
		f.operand = operand{offset: s.at, isType: true}
	}
}

// operator notes what an operator, which the scanner stands behind, ends and
// begins.
func (s *scanner) operator(text string) {
	switch text {
	case ";":
		s.leaveArrows()
		if f := s.top(); holdsStatements(f) || f.kind == braces || f.kind == brackets {
			inner := f.binds && f.kind == brackets // the parts of a for's head
			f.begin(s.at)
			f.inner = f.inner || inner
		}
	case ",":
		s.leaveArrows()
		if f := s.top(); f.kind == braces || f.kind == brackets {
			f.begin(s.at)
		}
		s.expect()
	case "=":
		s.leaveTypeArrows()
		s.top().assigned = true
		s.expect()
	case "?":
		s.top().choices++
		s.expect()
	case ":":
		s.colon()
	case "=>":
		s.arrow()
	case "<":
		if s.at >= 2 && s.text[s.at-2] == ' ' { // as is customary for "less than" alone
			s.expect()
			break
		}
		f := s.top()
		f.generics = append(f.generics, f.operand)
		f.operand = operand{offset: s.at, isType: true}
		f.binds = f.binds || !f.assigned && (f.kind == classBody || f.kind == braces && !f.valued)
	case ">":
		if f := s.top(); len(f.generics) > 0 {
			f.operand, f.generics = f.generics[len(f.generics)-1], f.generics[:len(f.generics)-1]
		}
	case "|", "&", "??", "+", "-", "*", "/", "%", "==", "===", "!=", "!==", "<=", ">=":
		s.expect()
	}
}

// expect notes that an operand is expected.
func (s *scanner) expect() { s.top().operand = operand{offset: s.at, isType: s.inType()} }

// inType guesses whether a type is expected where an operand is.
func (s *scanner) inType() bool {
	for i := len(s.stack) - 1; i >= 0; i-- {
		f := s.stack[i]
		switch {
		case len(f.generics) > 0 || f.first == "type" || f.first == "interface":
			return true
		case f.kind == braces || f.kind == brackets:
			if f.operand.isType && !f.assigned {
				return true
			}
		default:
			return f.operand.isType && !f.assigned
		}
	}
	return false
}

// colon ends the label of a case, the arrow between ? and : and the name of a
// member, or begins a type.
func (s *scanner) colon() {
	if i := len(s.stack) - 1; s.top().kind == arrowBody && s.top().choices == 0 {
		for i > 0 && s.stack[i].kind == arrowBody {
			i--
		}
		if s.stack[i].choices > 0 {
			s.stack = s.stack[:i+1]
		}
	}
	f := s.top()
	switch {
	case f.choices > 0:
		f.choices--
		s.expect()
	case f.kind == cases && f.label:
		f.label, f.open = false, s.at
		f.begin(s.at)
	case f.kind == braces && !f.called:
		f.valued = true
		s.expect()
	default:
		f.operand = operand{offset: s.at, isType: true}
	}
}
