package native

import (
	"vibevm.org/adapters/lsp"
)

// initializeParams ask for UTF-16, which is also the unit of our own positions,
// for status reports, and for markdown hovers, the one format in which the
// signature can be told from the documentation.
func initializeParams(root string, options any) lsp.InitializeParams {
	return lsp.InitializeParams{
		RootPath:   root,
		ClientName: "vibevm-tcg", ClientVersion: "1",
		Encodings: []lsp.Encoding{lsp.UTF16},
		Capabilities: map[string]any{
			"workspace": map[string]any{
				"configuration":    true,
				"workspaceFolders": true,
				"diagnostics":      map[string]any{"refreshSupport": true},
				// Registering is what makes the analyzer leave watching to us.
				"didChangeWatchedFiles": map[string]any{"dynamicRegistration": true},
			},
			"textDocument": map[string]any{
				"synchronization":    map[string]any{"didSave": true},
				"diagnostic":         map[string]any{"dynamicRegistration": false, "relatedInformation": true},
				"publishDiagnostics": map[string]any{"relatedInformation": true},
				"hover":              map[string]any{"contentFormat": []string{"markdown"}},
				"completion": map[string]any{
					"contextSupport": true,
					"completionItem": map[string]any{
						"snippetSupport":      false, // what would be inserted is not a name
						"labelDetailsSupport": true,
						// Anything listed here is left out of the answer itself.
						"resolveSupport": map[string]any{"properties": []string{"documentation"}},
					},
				},
			},
			"experimental": map[string]any{"serverStatusNotification": true},
		},
		Options: options,
	}
}

// options are the analyzer's settings, which it is given at the start and on
// every question about its configuration.
func options(project Project, loose []string) map[string]any {
	type object = map[string]any
	run := !project.NoBuildScripts
	return object{
		"linkedProjects": linkedProjects(project, loose),
		"cargo": object{
			"targetDir":    project.TargetDir,
			"autoreload":   true,
			"buildScripts": object{"enable": run},
		},
		"procMacro": object{"enable": run},
		// cargo check is run elsewhere, on texts that are not on disk.
		"checkOnSave": false,
		// Analysing everything beforehand takes as long as the first question
		// takes without it.
		"cachePriming": object{"enable": false},
		"files":        object{"watcher": "client"},
		// By default, the analyzer does not even report unresolved names.
		"diagnostics": object{"experimental": object{"enable": true}},
		"completion": object{
			"autoimport":             object{"enable": false},
			"autoself":               object{"enable": false},
			"postfix":                object{"enable": false},
			"termSearch":             object{"enable": false},
			"callable":               object{"snippets": "none"},
			"fullFunctionSignatures": object{"enable": true},
		},
		"hover": object{
			"memoryLayout": object{"enable": false},
			"dropGlue":     object{"enable": false},
			"actions":      object{"enable": false},
		},
		"notifications": object{"cargoTomlNotFound": false},
		"lens":          object{"enable": false},
	}
}

// linkedProjects name what is to be loaded. Left to itself the analyzer looks
// one directory deep.
func linkedProjects(project Project, loose []string) []any {
	if project.Manifest != "" {
		return []any{project.Manifest}
	}
	crates := make([]any, len(loose))
	for i, file := range loose {
		crates[i] = map[string]any{"root_module": file, "edition": looseEdition, "deps": []any{}}
	}
	described := map[string]any{"sysroot": project.Sysroot, "crates": crates}
	if project.SysrootSource != "" {
		described["sysroot_src"] = project.SysrootSource
	}
	return []any{described}
}

// looseEdition is the edition of files that no manifest gives one: cargo's own
// choice for single-file packages.
const looseEdition = "2024"
