package lsp

import "encoding/json"

// The structures below hold the members we use, spelled as in LSP 3.17.

// Position is a place in a text, both parts 0-based; Character counts units of
// the negotiated encoding.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Range is a half-open piece of text.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Location is a range of a document.
type Location struct {
	URI   string `json:"uri"`
	Range Range  `json:"range"`
}

// TextDocumentIdentifier names a document.
type TextDocumentIdentifier struct {
	URI string `json:"uri"`
}

// TextDocumentItem is an opened document.
type TextDocumentItem struct {
	URI        string `json:"uri"`
	LanguageID string `json:"languageId"`
	Version    int    `json:"version"`
	Text       string `json:"text"`
}

// DidOpenParams are the params of textDocument/didOpen.
type DidOpenParams struct {
	TextDocument TextDocumentItem `json:"textDocument"`
}

// VersionedTextDocumentIdentifier names a version of a document.
type VersionedTextDocumentIdentifier struct {
	URI     string `json:"uri"`
	Version int    `json:"version"`
}

// ContentChange replaces the whole text.
type ContentChange struct {
	Text string `json:"text"`
}

// DidChangeParams are the params of textDocument/didChange.
type DidChangeParams struct {
	TextDocument   VersionedTextDocumentIdentifier `json:"textDocument"`
	ContentChanges []ContentChange                 `json:"contentChanges"`
}

// DocumentParams are the params of requests about a whole document, among them
// textDocument/didClose and textDocument/diagnostic.
type DocumentParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
}

// PositionParams are the params of requests about a place.
type PositionParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
	Position     Position               `json:"position"`
}

// FileChangeType says what happened to a watched file.
type FileChangeType int

// File change types.
const (
	FileCreated FileChangeType = 1
	FileChanged FileChangeType = 2
	FileDeleted FileChangeType = 3
)

// FileEvent is a change of a watched file.
type FileEvent struct {
	URI  string         `json:"uri"`
	Type FileChangeType `json:"type"`
}

// DidChangeWatchedFilesParams are the params of
// workspace/didChangeWatchedFiles.
type DidChangeWatchedFilesParams struct {
	Changes []FileEvent `json:"changes"`
}

// Severity of a diagnostic.
type Severity int

// Severities.
const (
	SeverityError       Severity = 1
	SeverityWarning     Severity = 2
	SeverityInformation Severity = 3
	SeverityHint        Severity = 4
)

// Diagnostic is one message about a document. Code is a number or a string.
type Diagnostic struct {
	Range              Range                `json:"range"`
	Severity           Severity             `json:"severity"`
	Code               json.RawMessage      `json:"code"`
	Source             string               `json:"source"`
	Message            string               `json:"message"`
	RelatedInformation []RelatedInformation `json:"relatedInformation"`
}

// RelatedInformation is a further place a diagnostic points at.
type RelatedInformation struct {
	Location Location `json:"location"`
	Message  string   `json:"message"`
}

// DocumentDiagnosticReport answers textDocument/diagnostic.
type DocumentDiagnosticReport struct {
	Kind  string       `json:"kind"`
	Items []Diagnostic `json:"items"`
}

// PublishDiagnosticsParams are the params of textDocument/publishDiagnostics.
type PublishDiagnosticsParams struct {
	URI         string       `json:"uri"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// MarkupContent is formatted text; Kind is "markdown" or "plaintext".
type MarkupContent struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

// Hover answers textDocument/hover.
type Hover struct {
	Contents MarkupContent `json:"contents"`
	Range    *Range        `json:"range"`
}

// CompletionItemKind is what a completion stands for.
type CompletionItemKind int

// CompletionItem is one completion, as it is received and as
// completionItem/resolve wants it back: Data is the server's own note of what
// the item is.
type CompletionItem struct {
	Label      string             `json:"label"`
	Kind       CompletionItemKind `json:"kind,omitempty"`
	Detail     string             `json:"detail,omitempty"`
	SortText   string             `json:"sortText,omitempty"`
	FilterText string             `json:"filterText,omitempty"`
	InsertText string             `json:"insertText,omitempty"`
	Data       json.RawMessage    `json:"data,omitempty"`
}

// CompletionList answers textDocument/completion.
type CompletionList struct {
	IsIncomplete bool             `json:"isIncomplete"`
	Items        []CompletionItem `json:"items"`
}
