package acceptance_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/mcppipe"
	"vibevm.org/acceptance/tsproject"
)

// The scenarios of the official suite that a server with tools alone can pass,
// and how many checks each makes. The others are about prompts, resources,
// sampling, and the HTTP transport itself.
var scenarios = map[string]int{
	"server-initialize":      1,
	"ping":                   1,
	"tools-list":             1,
	"tools-call-simple-text": 1,
	"tools-call-error":       1,
	"json-schema-2020-12":    4,
}

func TestConformanceScenarios(t *testing.T) {
	t.Parallel()
	testConformance(t, mcppipe.Server{Path: binary(t, "core/coretest/testserver")}, slices.Collect(maps.Keys(scenarios)))
}

// The other scenarios call tools that only the core's test server has.
func TestConformanceScenariosOfTheProduct(t *testing.T) {
	t.Parallel()
	eachLanguage(t, func(t *testing.T, l language) {
		t.Helper()
		server := mcppipe.Server{Path: binary(t, l.server), Args: []string{"--path", t.TempDir()}}
		testConformance(t, server, []string{"server-initialize", "ping", "tools-list"})
	})
}

func testConformance(t *testing.T, server mcppipe.Server, names []string) {
	t.Helper()
	installed, err := tsproject.Installed("conformance")
	require.NoError(t, err)
	suite := filepath.Join(installed, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	url := newBridge(t, server)
	checks := regexp.MustCompile(`Passed: (\d+)/(\d+), (\d+) failed, (\d+) warnings`)
	for _, scenario := range names {
		want := scenarios[scenario]
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			cmd := quietCommand(t, nodeForConformance(t, installed), suite, "server", "--url", url+"/mcp", "--scenario", scenario)
			cmd.Dir = t.TempDir()
			output, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", output)
			match := checks.FindStringSubmatch(string(output))
			require.NotNil(t, match, "%s", output)
			total := strconv.Itoa(want)
			assert.Equal(t, []string{total, total, "0", "0"}, match[1:], "%s", output)
		})
	}
}

// nodeForConformance is the node 22 that npm installed beside the suite, or
// the system's where the platform has no such package.
func nodeForConformance(t *testing.T, installed string) string {
	t.Helper()
	arch := strings.Replace(runtime.GOARCH, "amd64", "x64", 1)
	system := strings.Replace(runtime.GOOS, "windows", "win", 1)
	private := filepath.Join(installed, "node_modules", "node-"+system+"-"+arch, "bin", "node")
	if _, err := os.Stat(private); err == nil {
		return private
	}
	exe, err := exec.LookPath("node")
	require.NoError(t, err, "install Node.js 22 or newer")
	return exe
}

// bridge serves a stdio server as Streamable HTTP, one process per HTTP
// session. The suite speaks HTTP only.
type bridge struct {
	server mcppipe.Server

	mu       sync.Mutex
	sessions map[string]*mcppipe.Session
}

// newBridge serves on a loopback port until the test ends, and returns the URL.
func newBridge(t *testing.T, server mcppipe.Server) string {
	t.Helper()
	server.Env = cleanEnvironment(t)
	b := &bridge{server: server, sessions: map[string]*mcppipe.Session{}}
	listener := httptest.NewServer(b)
	t.Cleanup(func() {
		listener.Close()
		assert.NotEmpty(t, b.sessions)
		for _, session := range b.sessions {
			settle(t, session, false)
		}
	})
	return listener.URL
}

// open finds the session with this id, or starts one with an id of its own.
func (b *bridge) open(id string) (string, *mcppipe.Session, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if session, ok := b.sessions[id]; ok {
		return id, session, nil
	}
	session, err := mcppipe.Start(b.server)
	if err != nil {
		return "", nil, err
	}
	id = strconv.Itoa(len(b.sessions) + 1)
	b.sessions[id] = session
	return id, session, nil
}

// ServeHTTP forwards one frame and answers with the server's answer to it.
func (b *bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		// No stream of server messages, and sessions end with the test.
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(r.Body)
	var frame map[string]json.RawMessage
	if err != nil || json.Unmarshal(body, &frame) != nil {
		http.Error(w, "the body is no JSON object", http.StatusBadRequest)
		return
	}
	id, session, err := b.open(r.Header.Get("Mcp-Session-Id"))
	if err == nil {
		w.Header().Set("Mcp-Session-Id", id)
		err = session.Send(strings.ReplaceAll(string(body), "\n", " ") + "\n")
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	if len(frame["id"]) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	answer, err := session.Answer(r.Context(), string(frame["id"]))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(answer.Raw)
}
