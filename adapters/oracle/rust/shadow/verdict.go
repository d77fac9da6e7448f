package shadow

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"vibevm.org/tcgfamily/oracleproto"
)

// mostElsewhere bounds Result.Elsewhere.
const mostElsewhere = 5

// verdict collects what a run of cargo says about one file.
type verdict struct {
	tree *tree
	cwd  string // where rustc runs; its relative paths start there
	file string // the user's path

	messages  []cargoMessage // compiler messages that say something
	artifacts []cargoMessage // of packages in the tree
	scripts   []cargoMessage // build scripts that ran, of packages in the tree
	finished  bool
	success   bool

	resolved map[string]string // user's paths with links resolved
}

// take takes a message in.
func (v *verdict) take(m cargoMessage) {
	_, ours := within(v.tree.dir, m.ManifestPath)
	switch m.Reason {
	case "compiler-message":
		if m.Message != nil && !m.Message.isSummary() {
			v.messages = append(v.messages, m)
		}
	case "compiler-artifact":
		if ours {
			v.artifacts = append(v.artifacts, m)
		}
	case "build-script-executed":
		v.scripts = append(v.scripts, m)
	case "build-finished":
		v.finished, v.success = true, m.Success
	}
}

// result judges. stderr explains a failure without messages.
func (v *verdict) result(request Request, pkg *cargoPackage, stderr string) Result {
	result := Result{Diagnostics: []oracleproto.Diagnostic{}}
	failing := map[string]bool{} // targets by their source
	failedHere := false
	for _, m := range v.messages {
		at := v.placeOf(m)
		if m.Message.isError() {
			failing[m.Target.SrcPath] = true
		}
		switch {
		case at != nil || len(m.Message.Spans) == 0 && v.isFile(m.Target.SrcPath):
			d := m.Message.diagnostic(at, v.pathOf)
			failedHere = failedHere || m.Message.isError()
			if !slices.ContainsFunc(result.Diagnostics, func(o oracleproto.Diagnostic) bool { return reflect.DeepEqual(o, d) }) {
				result.Diagnostics = append(result.Diagnostics, d)
			}
		case m.Message.isError() && len(result.Elsewhere) < mostElsewhere:
			result.Elsewhere = v.appendElsewhere(result.Elsewhere, m)
		}
	}
	if !v.success && len(failing) == 0 {
		result.Elsewhere = append(result.Elsewhere, FileDiagnostic{Diagnostic: oracleproto.Diagnostic{
			Category: "error", Message: v.inUsersPaths(plainError(stderr)),
		}})
	}
	covering := v.covering(request, pkg)
	switch {
	case failedHere:
		result.Reached = true
	case v.success:
		result.Reached = len(covering) > 0
		result.Unlinked = !result.Reached
	default:
		result.Reached = len(covering) > 0 && !v.mayBeIn(failing)
		for src := range covering {
			result.Reached = result.Reached && !failing[src]
		}
	}
	if result.Reached {
		result.Elsewhere = nil
	}
	return result
}

// placeOf is where in the file a message is: its primary place, or the
// outermost macro call that leads to it; nil when it is about another file.
func (v *verdict) placeOf(m cargoMessage) *rustcSpan {
	for i := range m.Message.Spans {
		if span := &m.Message.Spans[i]; span.IsPrimary && v.isFile(v.absolute(span.FileName)) {
			return span
		}
	}
	for i := range m.Message.Spans {
		span := &m.Message.Spans[i]
		if !span.IsPrimary {
			continue
		}
		var found *rustcSpan
		for s := span; s.Expansion != nil; s = &s.Expansion.Span {
			if call := &s.Expansion.Span; v.isFile(v.absolute(call.FileName)) {
				found = call
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

func (v *verdict) appendElsewhere(all []FileDiagnostic, m cargoMessage) []FileDiagnostic {
	d := FileDiagnostic{File: v.tree.real(m.Target.SrcPath)}
	at := m.Message.primary()
	if at != nil {
		at = at.outermost()
		d.File = v.pathOf(*at)
	}
	d.Diagnostic = m.Message.diagnostic(at, v.pathOf)
	if slices.ContainsFunc(all, func(o FileDiagnostic) bool { return reflect.DeepEqual(o, d) }) {
		return all
	}
	return append(all, d)
}

// absolute is a path as rustc names it.
func (v *verdict) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(v.cwd, path)
}

// pathOf is the user's path of a place.
func (v *verdict) pathOf(span rustcSpan) string { return v.tree.real(v.absolute(span.FileName)) }

// isFile reports that a path of the mirror is that of the file, be it through
// links of the user.
func (v *verdict) isFile(path string) bool {
	real := v.tree.real(path)
	if real == v.file {
		return true
	}
	resolved, ok := v.resolved[real]
	if !ok {
		resolved = canonical(real)
		if v.resolved == nil {
			v.resolved = map[string]string{}
		}
		v.resolved[real] = resolved
	}
	return resolved == v.file
}

// covering are the targets, by their source, that were compiled with the file.
// With tests, a target that is tested counts only when its tests were.
func (v *verdict) covering(request Request, pkg *cargoPackage) map[string]bool {
	found, tested := map[string]bool{}, map[string]bool{}
	for _, a := range v.artifacts {
		if !slices.ContainsFunc(v.sources(a), v.isFile) {
			continue
		}
		found[a.Target.SrcPath] = true
		if a.Profile.Test {
			tested[a.Target.SrcPath] = true
		}
	}
	if request.Tests && !v.success {
		for _, t := range pkg.targets {
			src := v.tree.mirror(t.src)
			if t.test && found[src] && !tested[src] {
				return nil
			}
		}
	}
	return found
}

// mayBeIn reports that the file was in one of the failing targets when they
// were last compiled.
func (v *verdict) mayBeIn(failing map[string]bool) bool {
	for _, m := range v.messages {
		if !failing[m.Target.SrcPath] {
			continue
		}
		crate := strings.ReplaceAll(m.Target.Name, "-", "_")
		for _, a := range v.artifacts {
			for _, name := range a.Filenames {
				files, _ := filepath.Glob(filepath.Join(escapeGlob(filepath.Dir(name)), crate+"-*.d"))
				for _, file := range files {
					sources := v.read(file)
					if slices.Contains(sources, m.Target.SrcPath) && slices.ContainsFunc(sources, v.isFile) {
						return true
					}
				}
			}
		}
	}
	return false
}

// sources are the files that an artifact was compiled from, as paths of the
// mirror.
func (v *verdict) sources(artifact cargoMessage) []string {
	for _, name := range artifact.Filenames {
		dir, base := filepath.Split(name)
		stem := strings.TrimSuffix(base, filepath.Ext(base))
		for _, stem := range []string{stem, strings.TrimPrefix(stem, "lib")} {
			if sources := v.read(filepath.Join(dir, stem+".d")); sources != nil {
				return sources
			}
		}
		if slices.Contains(artifact.Target.Kind, "custom-build") {
			files, _ := filepath.Glob(filepath.Join(escapeGlob(dir), "*.d"))
			for _, file := range files {
				if sources := v.read(file); sources != nil {
					return sources
				}
			}
		}
	}
	return nil
}

// read reads rustc's dependency file: Makefile rules whose prerequisites are
// the sources. A blank in a path has a backslash before it.
func (v *verdict) read(file string) []string {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	var sources []string
	for line := range strings.Lines(string(text)) {
		// Each source is also the target of a rule without prerequisites.
		name, ok := strings.CutSuffix(strings.TrimRight(line, "\r\n"), ":")
		if !ok || strings.HasPrefix(name, "#") {
			continue
		}
		sources = append(sources, v.absolute(strings.ReplaceAll(name, `\ `, " ")))
	}
	return sources
}

// watched are the files in the tree that compilers read and build scripts
// watch, and the directories that these watch, relative to its top.
func (v *verdict) watched() (files, dirs []string) {
	add := func(path string) {
		rel, ok := within(v.tree.dir, path)
		if !ok {
			return
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			dirs = append(dirs, rel)
		} else {
			files = append(files, rel)
		}
	}
	home := map[string]string{} // where build scripts run: in their packages
	for _, a := range v.artifacts {
		home[a.PackageID] = filepath.Dir(a.ManifestPath)
		for _, source := range v.sources(a) {
			add(source)
		}
	}
	for _, s := range v.scripts {
		output, err := os.ReadFile(filepath.Join(filepath.Dir(s.OutDir), "output"))
		if err != nil || home[s.PackageID] == "" {
			continue
		}
		for line := range strings.Lines(string(output)) {
			line = strings.TrimRight(line, "\r\n")
			for _, prefix := range []string{"cargo:rerun-if-changed=", "cargo::rerun-if-changed="} {
				path, ok := strings.CutPrefix(line, prefix)
				if ok && !filepath.IsAbs(path) {
					path = filepath.Join(home[s.PackageID], path)
				}
				if ok {
					add(filepath.Clean(path))
				}
			}
		}
	}
	slices.Sort(files)
	slices.Sort(dirs)
	return slices.Compact(files), slices.Compact(dirs)
}

// inUsersPaths replaces paths of the mirror in a text.
func (v *verdict) inUsersPaths(text string) string {
	return strings.ReplaceAll(text, v.tree.dir, v.tree.top)
}
