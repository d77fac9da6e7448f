package acceptance_test

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEveryPackageHasExactlyOneComment(t *testing.T) {
	t.Parallel()
	for _, p := range allPackages(t, "linux") {
		files, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		require.NoError(t, err)
		var commented []string
		sources := 0
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			sources++
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
			require.NoError(t, err)
			if parsed.Doc != nil && strings.TrimSpace(parsed.Doc.Text()) != "" {
				commented = append(commented, filepath.Base(file))
			}
		}
		if sources > 0 {
			assert.Len(t, commented, 1, "package comments of %s", p.ImportPath)
		}
	}
}

func TestDecisionRecordsAreNumberedAndIndexed(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(repository(t), "docs", "adr")
	index := readFile(t, filepath.Join(dir, "README.md"))
	records, err := filepath.Glob(filepath.Join(dir, "[0-9]*.md"))
	require.NoError(t, err)
	require.NotEmpty(t, records)
	for i, record := range records {
		name := filepath.Base(record)
		assert.Regexp(t, fmt.Sprintf(`^%04d-[a-z0-9-]+\.md$`, i+1), name, "decision records are numbered without gaps")
		assert.Contains(t, index, "("+name+")", "docs/adr/README.md does not link %s", name)
	}
	for _, link := range regexp.MustCompile(`\((\d{4}-[^)]*)\)`).FindAllStringSubmatch(index, -1) {
		assert.FileExists(t, filepath.Join(dir, link[1]))
	}
}

func TestChangelogHasASectionForTheVersion(t *testing.T) {
	t.Parallel()
	changelog := readFile(t, filepath.Join(repository(t), "CHANGELOG.md"))
	for _, l := range languages {
		for _, pkg := range []string{l.server, l.oracle} {
			output, err := exec.CommandContext(t.Context(), binary(t, pkg), "--version").Output()
			require.NoError(t, err)
			version := regexp.MustCompile(`\d+\.\d+\.\d+\S*`).FindString(string(output))
			require.NotEmpty(t, version, "%s --version prints %q", pkg, output)
			assert.Regexp(t, `(?m)^## \[?v?`+regexp.QuoteMeta(version)+`\b`, changelog)
		}
	}
}

func TestReadmeNamesOnlyCommandsThatExist(t *testing.T) {
	t.Parallel()
	root := repository(t)
	readme := readFile(t, filepath.Join(root, "README.md"))
	makefile := readFile(t, filepath.Join(root, "Makefile"))
	assert.Contains(t, readme, "make test")
	assert.Contains(t, readme, "make demo")
	assert.NotContains(t, readme, "@@", "README.md has a placeholder left")
	for _, use := range regexp.MustCompile("(?m)(?:^\\s*\\$? *|`)make ([a-z][a-z-]*)").FindAllStringSubmatch(readme, -1) {
		assert.Regexp(t, `(?m)^`+use[1]+`( [a-z-]+)*:`, makefile, "README.md says `make %s`", use[1])
	}
	for _, use := range regexp.MustCompile(`\b(?:vibe|(?:typescript|rust)-ai-native-(?:mcp|tcg))\b`).FindAllString(readme, -1) {
		if use != "vibe" {
			assert.DirExists(t, filepath.Join(root, "apps", use), "README.md names %s", use)
		}
	}
}

// Patterns are written so that this file does not match itself.
var outOfPlace = map[string]*regexp.Regexp{
	"a path of somebody's machine": regexp.MustCompile(`(^|[^A-Za-z0-9_.])/(wor[k]|far[m]|hom[e]/[a-z]+|roo[t])/`),
	"a package registry's host":    regexp.MustCompile(`prox[y]\.golang|registr[y]\.npmjs|de[b]\.debian|crate[s]\.io/api`),
}

func TestNothingOfAMachineIsCommitted(t *testing.T) {
	t.Parallel()
	root := repository(t)
	cmd := exec.CommandContext(t.Context(), "git", "ls-files", "-z")
	cmd.Dir = root
	output, err := cmd.Output()
	require.NoError(t, err, "git ls-files: %s; the suite runs in a git checkout", stderrOf(err))
	for name := range strings.SplitSeq(strings.TrimRight(string(output), "\x00"), "\x00") {
		assert.NotContains(t, "/"+name, "/node_modules/", "committed dependency")
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || strings.HasSuffix(name, ".sum") {
			continue
		}
		// Homebrew's prefix is the same on every Linux machine.
		text = bytes.ReplaceAll(text, []byte("/hom"+"e/linuxbrew/"), nil)
		for what, pattern := range outOfPlace {
			if found := pattern.Find(text); found != nil {
				t.Errorf("%s holds %s: %q", name, what, found)
			}
		}
	}
}
