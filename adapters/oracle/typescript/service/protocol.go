package service

import (
	"encoding/json"

	"vibevm.org/adapters/lsp"
	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/oracleproto"
)

// The script and we exchange lines of JSON. A question is one line and its
// answer one, in the order of the questions; {"cancel":id} gives a question up,
// which is answered all the same.

// question is a line to the script.
type question struct {
	ID   int32  `json:"id"` // increasing
	Op   string `json:"op"` // of package oracleproto
	File string `json:"file"`
	// Known is the ReadsVersion of the latest answer that had one.
	Known string `json:"known"`
	// Changes are what happened since the last question, in order.
	Changes []change `json:"changes,omitempty"`

	// A position is 0-based in lines as tsc counts them and UTF-16 code units.
	Line      int    `json:"line,omitempty"`
	Character int    `json:"character,omitempty"`
	Prefix    string `json:"prefix,omitempty"`
	Limit     int    `json:"limit,omitempty"`
	Globals   bool   `json:"globals,omitempty"`
}

// cancellation is the other line to the script.
type cancellation struct {
	Cancel int32 `json:"cancel"`
}

// change is what happened to a file.
type change struct {
	Kind string `json:"kind"`
	Path string `json:"path,omitempty"`
	Text string `json:"text"` // of changeSet
}

// Kinds of changes. changeAll stands for too many to tell.
const (
	changeSet   = "set"
	changeClear = "clear"
	changeAll   = "all"
)

// diskChanges are the kinds of what happens on disk.
var diskChanges = map[oracle.ChangeKind]string{
	oracle.DiskCreated: "created", oracle.DiskChanged: "changed", oracle.DiskDeleted: "deleted",
}

// answer is a line from the script. The first has Ready; one with Failed and no
// ID is the script's last.
type answer struct {
	ID        int32           `json:"id"`
	Ready     string          `json:"ready"`  // the compiler's version
	Config    string          `json:"config"` // path, empty for none
	Result    json.RawMessage `json:"result"`
	Cancelled bool            `json:"cancelled"`
	Failed    string          `json:"failed"` // a stack trace
	// Reads are the files the script has read or looked for, and the directories
	// it has listed; absent when the question knew them.
	Reads        []string `json:"reads"`
	ReadsVersion string   `json:"readsVersion"`
}

// validated is the result of a validation.
type validated struct {
	Diagnostics   []diagnostic `json:"diagnostics"`
	ProjectErrors []diagnostic `json:"projectErrors"`
	Unchecked     bool         `json:"unchecked"` // the project leaves the file to another one
}

// diagnostic is the compiler's. Lines are 1-based and 0 without a file.
type diagnostic struct {
	Code         int          `json:"code"`
	Message      string       `json:"message"`
	File         string       `json:"file"`
	Line         int          `json:"line"`
	Character    int          `json:"character"`
	EndLine      int          `json:"endLine"`
	EndCharacter int          `json:"endCharacter"`
	Related      []diagnostic `json:"related"`
}

// render makes it the protocol's. A place in another file than the one that is
// reported on is told as a related one.
func (d diagnostic) render(file string) oracleproto.Diagnostic {
	out := oracleproto.Diagnostic{Code: oracleproto.NumberCode(d.Code), Category: "error", Message: d.Message}
	switch {
	case d.File == "":
	case nativePath(d.File) == file:
		out.Line, out.Character, out.EndLine, out.EndCharacter = d.Line, d.Character, d.EndLine, d.EndCharacter
	default:
		out.Related = append(out.Related, d.place("The error is here."))
	}
	for _, r := range d.Related {
		out.Related = append(out.Related, r.place(r.Message))
	}
	return out
}

func (d diagnostic) place(message string) oracleproto.Related {
	return oracleproto.Related{File: nativePath(d.File), Line: d.Line, Character: d.Character, Message: message}
}

func render(list []diagnostic, file string) []oracleproto.Diagnostic {
	out := make([]oracleproto.Diagnostic, 0, len(list))
	for _, d := range list {
		out = append(out, d.render(file))
	}
	return out
}

// nativePath is a path that the compiler wrote, which always uses slashes.
func nativePath(path string) string {
	if path == "" {
		return ""
	}
	native, err := lsp.URIToPath(lsp.PathToURI(path))
	if err != nil {
		return path
	}
	return native
}
