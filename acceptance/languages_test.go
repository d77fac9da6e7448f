package acceptance_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/mcppipe"
	"vibevm.org/acceptance/rsproject"
	"vibevm.org/acceptance/tsproject"
)

// language is one of the servers under test, and what a test must know to ask
// it. What holds for both is tested by one test over languages.
type language struct {
	// name is the language's, as questions have it.
	name string
	// server and oracle are the main packages.
	server, oracle string
	// newProject copies the sample project, whole and compiling.
	newProject func(*testing.T) *tsproject.Project
	// environment is a clean one with what the server needs, and with these
	// directories first on PATH.
	environment func(t *testing.T, first ...string) []string

	// file is what most questions are about, with a text that has one error, a
	// text that has none, and one that stops after a dot. It is part of the
	// project as it is on disk, or would be.
	file, broken, fixed, unfinished string
	// code is the error's.
	code string
	// another is a file on disk that compiles.
	another string
	// questions are what every client asks, in this order.
	questions []question
	// assertAnswers checks the answers to questions, whatever client got them.
	assertAnswers func(t *testing.T, answers []mcppipe.ToolResult)
	// config is the project file that governs file.
	config string
	// completed begins with prefix, and missed is another member.
	prefix, completed, missed string
	// typed is part of the display of what the last question is about.
	typed string

	// compiler is part of the command line of the process that judges.
	compiler string
	// restarts is how often a test kills the compiler in a row, and freshServers
	// how often one starts: Rust's takes seconds to load.
	restarts, freshServers int
	// plant puts a shell script in the compiler's place for a server on the
	// project, and returns the environment it needs.
	plant func(t *testing.T, project *tsproject.Project, script string) []string
	// real is the path of the compiler itself, for such a script.
	real func(*testing.T) string
}

// languages are those whose suites run. The Rust oracle is not released yet:
// `make test-rust` adds it, and names an analyzer.
var languages = func() []language {
	if os.Getenv("TCG_TEST_RUST_ANALYZER") == "" {
		return []language{typescript}
	}
	return []language{typescript, rust}
}()

// other is the language that a server is not for.
func (l language) other() language {
	if l.name == rust.name {
		return typescript
	}
	return rust
}

// eachLanguage runs a test for both servers.
func eachLanguage(t *testing.T, test func(t *testing.T, l language)) {
	t.Helper()
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			test(t, l)
		})
	}
}

var typescript = language{
	name: "typescript", server: "apps/typescript-ai-native-mcp", oracle: "apps/typescript-ai-native-tcg",
	newProject:  newShop,
	environment: environmentWith,
	file:        taxFile, broken: taxBroken, fixed: taxFixed, unfinished: taxUnfinished,
	code:      "2322",
	another:   "src/money.ts",
	questions: questions, assertAnswers: assertAnswers,
	config: "tsconfig.json",
	prefix: "ce", completed: "cents", missed: "currency",
	typed:    `function tax(goods: Money<"EUR">, rate?: number): Money<"EUR">`,
	compiler: "--lsp", restarts: 3, freshServers: 5,
	plant: func(t *testing.T, project *tsproject.Project, script string) []string {
		t.Helper()
		plantCompiler(t, project, script)
		return cleanEnvironment(t)
	},
	real: func(t *testing.T) string {
		t.Helper()
		return tsproject.Compiler(nodeModules(t))
	},
}

var rust = language{
	name: "rust", server: "apps/rust-ai-native-mcp", oracle: "apps/rust-ai-native-tcg",
	newProject:  newRustShop,
	environment: rustEnvironment,
	file:        vatFile, broken: vatBroken, fixed: vatFixed, unfinished: vatUnfinished,
	code:      "E0308",
	another:   cartFile,
	questions: rustQuestions, assertAnswers: assertRustAnswers,
	config: checkoutManifest,
	prefix: "ti", completed: "times", missed: "cents",
	typed:    reducedSignature,
	compiler: "rust-analyzer", restarts: 1, freshServers: 2,
	plant: func(t *testing.T, _ *tsproject.Project, script string) []string {
		t.Helper()
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "rust-analyzer"), []byte("#!/bin/sh\n"+script), 0o755))
		// rustup would be asked for its own first.
		require.NoError(t, os.WriteFile(filepath.Join(dir, "rustup"), []byte("#!/bin/sh\necho error: none here >&2\nexit 1\n"), 0o755))
		return rustEnvironment(t, dir)
	},
	real: func(t *testing.T) string {
		t.Helper()
		path, err := rsproject.Analyzer()
		require.NoError(t, err)
		return path
	},
}

// process starts the server on a project without a handshake.
func (l language) process(t *testing.T, project *tsproject.Project) *mcppipe.Session {
	t.Helper()
	return l.processIn(t, project, l.environment(t), false)
}

func (l language) processIn(t *testing.T, project *tsproject.Project, env []string, mayFail bool) *mcppipe.Session {
	t.Helper()
	return start(t, mcppipe.Server{Path: binary(t, l.server), Args: []string{"--path", project.Dir}, Env: env}, mayFail)
}

// serve starts the server on a project and shakes hands.
func (l language) serve(t *testing.T, project *tsproject.Project) *mcppipe.Session {
	t.Helper()
	session := l.process(t, project)
	shakeHands(t, session)
	return session
}

func shakeHands(t *testing.T, session *mcppipe.Session) {
	t.Helper()
	_, err := session.Initialize(within60s(t))
	require.NoError(t, err)
}

// question is a question about a text that stands for the file.
func (l language) question(text string) object { return object{"file": l.file, "content": text} }

// compilerQuestion is one that the compiler itself must answer: in Rust, cargo
// could do so in its place.
func (l language) compilerQuestion(text string) object {
	question := l.question(text)
	if l.name == "rust" {
		question["depth"] = "native"
	}
	return question
}

// load has the compiler load the project.
func (l language) load(t *testing.T, session *mcppipe.Session) {
	t.Helper()
	question := l.compilerQuestion(l.fixed)
	assertClean(t, onceLoaded(t, session, question, callTool(t, session, "tcg_validate", question)))
}

// onceLoaded is the answer to a question whose first answer this is. On a busy
// machine loading a project can take longer than a call may; the answer then
// says so and nothing else, and the question is asked again.
func onceLoaded(t *testing.T, session *mcppipe.Session, question object, first mcppipe.ToolResult) mcppipe.ToolResult {
	t.Helper()
	deadline := time.Now().Add(5 * patience)
	for result := first; ; result = callTool(t, session, "tcg_validate", question) {
		v := judged(t, result)
		if v.Verdict != "unknown" || v.Reason != "warming" {
			return result
		}
		require.False(t, result.IsError)
		require.Empty(t, v.Diagnostics)
		require.True(t, time.Now().Before(deadline), "the compiler does not come to load the project: %s", result.Text)
	}
}

// judgement is the structured content of tcg_validate, as far as it is the same
// in all languages.
type judgement struct {
	Verdict    string
	Reason     string
	Source     string
	Coverage   string
	ConfigFile string `json:"config_file"`
	File       string
	Engine     engine
	// Diagnostics are errors and warnings.
	Diagnostics []struct {
		Code            code
		Category        string
		Message         string
		Line, Character int
	}
	Advice []string
	Error  *failure
}

// code is a number or a text.
type code string

// UnmarshalJSON takes both for a text.
func (c *code) UnmarshalJSON(raw []byte) error {
	var number json.Number
	if json.Unmarshal(raw, &number) == nil && raw[0] != '"' {
		*c = code(number)
		return nil
	}
	return json.Unmarshal(raw, (*string)(c))
}

// codes are those of the errors.
func (v judgement) codes() []string {
	codes := []string{}
	for _, d := range v.Diagnostics {
		if d.Category == "error" {
			codes = append(codes, string(d.Code))
		}
	}
	return codes
}

// judge asks for the verdict on a file in any language.
func judge(t *testing.T, session *mcppipe.Session, arguments object) (mcppipe.ToolResult, judgement) {
	t.Helper()
	result := callTool(t, session, "tcg_validate", arguments)
	return result, judged(t, result)
}

func judged(t *testing.T, result mcppipe.ToolResult) judgement {
	t.Helper()
	var v judgement
	require.NoError(t, result.Decode(&v), "%s", result.Text)
	return v
}

// assertBroken requires the answer about the broken text.
func (l language) assertBroken(t *testing.T, result mcppipe.ToolResult) {
	t.Helper()
	v := judged(t, result)
	assert.Equal(t, "errors", v.Verdict, "%s", result.Text)
	assert.Equal(t, []string{l.code}, v.codes(), "%s", result.Text)
}

// assertClean requires the answer about a text without errors.
func assertClean(t *testing.T, result mcppipe.ToolResult) {
	t.Helper()
	assert.Equal(t, "clean", judged(t, result).Verdict, "%s", result.Text)
}
