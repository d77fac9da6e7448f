package service

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
	"vibevm.org/tcgfamily/child/childtest"
	"vibevm.org/tcgfamily/oracleproto"
)

// TestAlternation changes what a file depends on, on disk, over and over.
func TestAlternation(t *testing.T) {
	for _, name := range firstAndLast {
		t.Run(versions[name], func(t *testing.T) {
			s := newSession(t, name, map[string]string{"tsconfig.json": strictConfig, "src/a.ts": "", "src/b.ts": ""})
			importer := "import { n } from './b';\nexport const x: string = n;\n"
			for i := range 200 {
				if i%2 == 0 {
					s.write("src/b.ts", "export const n = 1;\n")
					require.Equal(t, "2322", s.errors("src/a.ts", importer), "round %d", i)
				} else {
					s.write("src/b.ts", "export const n = '';\n")
					require.Empty(t, s.errors("src/a.ts", importer), "round %d", i)
				}
			}
		})
	}
}

// TestTextsArriveAsTheyAre asks about what JSON, lines and JavaScript treat in
// their own ways.
func TestTextsArriveAsTheyAre(t *testing.T) {
	for _, name := range firstAndLast {
		t.Run(versions[name], func(t *testing.T) {
			s := newSession(t, name, map[string]string{"tsconfig.json": strictConfig, "src/a.ts": ""})
			for _, tc := range []struct {
				text            string
				line, character int // of the one error, 2322
			}{
				{"export {};/*\u2028\u2029*/\u2028const s: string = 1;\n", 4, 6},
				{"export {};\rconst s: string = 1;\r", 2, 6},
				{"export {};\r\nconst s: string = 1;\r\n", 2, 6},
				{"/* 😀é\u0000 */ export const s: string = 1;\n", 1, 24},
				{"export const s: string = 1; // " + strings.Repeat("x", 5<<20), 1, 13},
				{strings.Repeat("\n", 3) + "export const s: '\\ud800' = 1;", 4, 13},
			} {
				v := s.validate("src/a.ts", tc.text)
				require.Equal(t, "2322", codes(v.Diagnostics), "%.40q", tc.text)
				d := v.Diagnostics[0]
				assert.Equal(t, [2]int{tc.line, tc.character}, [2]int{d.Line, d.Character}, "%.40q", tc.text)
			}
			text := "/*\u2028*/ export const first = 1;\rexport const second = '😀'; sec"
			doc := oracle.Document{Path: s.path("src/a.ts"), Text: text}
			info, err := s.Type(t.Context(), doc, oracleproto.Position{Line: 2, Character: 17})
			require.NoError(t, err)
			assert.Equal(t, "const first: 1", info.Display)
			c, err := s.Complete(t.Context(), doc, oracleproto.Position{Line: 3, Character: 31}, "sec", 10)
			require.NoError(t, err)
			require.Len(t, c.Entries, 1)
			assert.Equal(t, "second", c.Entries[0].Name)
			_, err = s.Type(t.Context(), doc, oracleproto.Position{Line: 99, Character: 99})
			require.NoError(t, err)
		})
	}
}

// newPatched is a session with a compiler that has code before and after its own.
func newPatched(t *testing.T, before, after string) *session {
	t.Helper()
	const name = "ts59"
	dir := t.TempDir()
	write(t, filepath.Join(dir, "package.json"), `{"name": "typescript", "main": "lib/typescript.js"}`)
	write(t, filepath.Join(dir, "lib/typescript.js"), fmt.Sprintf("%s\nmodule.exports = { ...require(%q) };\n%s\n", before, installed(t, name), after))
	node, err := findNode()
	require.NoError(t, err)
	s := &session{TB: t, root: project(t, name, map[string]string{"tsconfig.json": strictConfig, "src/a.ts": ""})}
	s.Backend = New(s.root, Compiler{Version: versions[name], Package: dir}, node)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func TestWhatTheCompilerPrintsIsNoAnswer(t *testing.T) {
	noise := `
		console.log('{"id":1,"result":{"diagnostics":[],"projectErrors":[]}}');
		process.stdout.write('{"id":1,"config":"/x","result":{}}\n');
		require('fs').writeSync(1, '{"id":1,"result":{"diagnostics":[]}}\nno line end: ');`
	s := newPatched(t, noise, `
		const create = module.exports.createLanguageService;
		module.exports.createLanguageService = (...args) => { `+noise+` return create(...args); };`)
	assert.Equal(t, "2322", s.errors("src/a.ts", wrong))
	assert.Empty(t, s.errors("src/a.ts", "export {};\n"))
}

func TestAnExceptionInTheCompilerIsAnAnswer(t *testing.T) {
	s := newPatched(t, "", `
		const flatten = module.exports.flattenDiagnosticMessageText;
		module.exports.flattenDiagnosticMessageText = (...args) => { if (!globalThis.thrown) { globalThis.thrown = true; throw new Error('Debug Failure.'); } return flatten(...args); };`)
	_, err := s.Validate(t.Context(), oracle.Document{Path: s.path("src/a.ts"), Text: wrong}, oracle.Check{})
	var e *oracleproto.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, oracleproto.KindInternal, e.Kind)
	assert.Contains(t, e.Detail, "Debug Failure.")
	assert.NotEmpty(t, e.Recipe)
	assert.Equal(t, "2322", s.errors("src/a.ts", wrong), "the process goes on")
}

func TestACompilerThatCannotBeLoaded(t *testing.T) {
	s := newPatched(t, "throw new Error('half installed');", "")
	for range 2 {
		_, err := s.Validate(t.Context(), oracle.Document{Path: s.path("src/a.ts"), Text: wrong}, oracle.Check{})
		var e *oracleproto.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, oracleproto.KindTypeScriptMissing, e.Kind)
		assert.Contains(t, e.Detail, "half installed")
		assert.Contains(t, e.Recipe, "npm install typescript@5.9.3")
	}
	write(t, filepath.Join(s.compiler.Package, "lib/typescript.js"), fmt.Sprintf("module.exports = require(%q);\n", installed(t, "ts59")))
	assert.Equal(t, "2322", s.errors("src/a.ts", wrong), "the next question loads it")
}

func TestTheHeapFollowsTheMachine(t *testing.T) {
	for memory, heap := range map[int]int{512: 384, 2048: 1536, 4096: 2048, 8192: 4096, 12288: 6144, 65536: 8192} {
		assert.Equal(t, heap, heapSize(memory), "%d MiB", memory)
	}
	s := newPatched(t, `throw new Error('heap ' + Math.round(require('v8').getHeapStatistics().heap_size_limit / 2 ** 20) + ' options ' + process.env.NODE_OPTIONS);`, "")
	s.heap = heapSize(6000)
	t.Setenv("NODE_OPTIONS", "--max-old-space-size=100 --require ./nothing.js")
	_, err := s.Validate(t.Context(), oracle.Document{Path: s.path("src/a.ts"), Text: wrong}, oracle.Check{})
	require.ErrorContains(t, err, "options undefined")
	var limit int
	_, scanErr := fmt.Sscanf(err.Error()[strings.Index(err.Error(), "heap "):], "heap %d", &limit)
	require.NoError(t, scanErr)
	assert.InDelta(t, 3000, limit, 100)
}

// TestOutOfMemory fills the heap.
func TestOutOfMemory(t *testing.T) {
	s := newPatched(t, "", `module.exports.createLanguageService = () => { const all = []; for (;;) all.push(new Array(1e5).fill(all.length)); };`)
	s.heap = 100
	_, err := s.Validate(t.Context(), oracle.Document{Path: s.path("src/a.ts"), Text: wrong}, oracle.Check{})
	var e *oracleproto.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, oracleproto.KindOracleCrashed, e.Kind)
	assert.Contains(t, e.Detail, "out of memory")
}

// TestAGivenUpQuestionStops gives up a check that would go on for minutes. It
// passes declarations, where the compiler looks whether to go on.
func TestAGivenUpQuestionStops(t *testing.T) {
	for _, name := range firstAndLast {
		t.Run(versions[name], func(t *testing.T) {
			s := newSession(t, name, map[string]string{"tsconfig.json": strictConfig, "src/a.ts": ""})
			require.Equal(t, "2322", s.errors("src/a.ts", wrong))
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			_, err := s.Validate(ctx, oracle.Document{Path: s.path("src/a.ts"), Text: slowText(200)}, oracle.Check{})
			require.ErrorIs(t, err, context.DeadlineExceeded)
			pid := compilerPid(t, s.Backend)
			began := time.Now()
			require.Equal(t, "2322", s.errors("src/a.ts", wrong))
			assert.Less(t, time.Since(began), 100*time.Second)
			assert.Equal(t, pid, compilerPid(t, s.Backend), "the process is the same")
		})
	}
}

// TestTheEndOfInputEndsABusyCompiler closes while a check is under way.
func TestTheEndOfInputEndsABusyCompiler(t *testing.T) {
	s := newPatched(t, "", `module.exports.createLanguageService = () => { for (;;); };`)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	_, err := s.Validate(ctx, oracle.Document{Path: s.path("src/a.ts"), Text: wrong}, oracle.Check{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	p := s.running
	require.NoError(t, p.child.Stdin().Close())
	select {
	case <-p.child.Done():
	case <-time.After(time.Minute):
		require.Fail(t, "it goes on without an input")
	}
	pid := p.child.Pid()
	require.NoError(t, s.Close())
	assert.Empty(t, childtest.State(t, pid))
}

func TestTooManyChangesToTell(t *testing.T) {
	s := newSession(t, "ts60", map[string]string{"tsconfig.json": strictConfig, "src/a.ts": "", "src/b.ts": "export const n = 1;\n"})
	importer := "import { n } from './b';\nexport const x: string = n;\n"
	require.Equal(t, "2322", s.errors("src/a.ts", importer))
	write(t, s.path("src/b.ts"), "export const n = '';\n")
	changes := make([]oracle.Change, maxPending+5)
	for i := range changes {
		changes[i] = oracle.Change{Kind: oracle.DiskChanged, Path: s.path("src/b.ts")}
	}
	require.NoError(t, s.Sync(t.Context(), changes))
	assert.Less(t, len(s.running.pending), 10)
	assert.Empty(t, s.errors("src/a.ts", importer))
}

func TestAFileThatVanishes(t *testing.T) {
	s := newSession(t, "ts54", map[string]string{"tsconfig.json": strictConfig, "src/a.ts": "export const n = 1;\n", "src/b.ts": ""})
	importer := "import { n } from './a';\nexport const x: string = n;\n"
	require.Equal(t, "2322", s.errors("src/b.ts", importer))
	require.NoError(t, os.Remove(s.path("src/a.ts")))
	s.sync(oracle.DiskDeleted, "src/a.ts")
	require.Equal(t, "2307", s.errors("src/b.ts", importer))
}
