package service

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// nodeSearch knows where node is installed on an operating system.
type nodeSearch struct {
	windows, darwin bool
	home            string // empty when unknown
	env             func(string) string
	root            string // of the file system; tests have their own

	places []string // directories that were looked into, beside PATH
	found  []candidate
}

// candidate is a file that may be node.
type candidate struct {
	path, origin string
	unfit        string // why it is not even tried
}

func newNodeSearch(goos, home string, env func(string) string) *nodeSearch {
	return &nodeSearch{windows: goos == "windows", darwin: goos == "darwin", home: home, env: env}
}

// candidates lists the files that may be node, best first.
func (s *nodeSearch) candidates() []candidate {
	s.places, s.found = nil, nil
	s.onPath()
	if s.windows {
		s.onWindows()
	} else {
		s.onUnix()
	}
	return s.found
}

// onPath does not stop at the first node, which may be too old. Directories that
// are relative are the user's project; shims choose a version by what the project
// says, and may go and download it.
func (s *nodeSearch) onPath() {
	for _, dir := range filepath.SplitList(s.env("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		unfit := ""
		if s.isShims(dir) {
			unfit = "a shim of a version manager, which may download what the project asks for"
		}
		s.add("PATH", unfit, filepath.Join(dir, s.exe()))
	}
}

// isShims reports a directory of the programs by which a version manager stands
// in for the chosen version's: volta/bin, asdf/shims, mise/shims, nodenv/shims.
func (s *nodeSearch) isShims(dir string) bool {
	if volta := s.env("VOLTA_HOME"); volta != "" && dir == under(volta, "bin") {
		return true
	}
	base, parent := filepath.Base(dir), strings.TrimPrefix(strings.ToLower(filepath.Base(filepath.Dir(dir))), ".")
	return base == "shims" || base == "bin" && parent == "volta" || strings.EqualFold(base, "volta")
}

func (s *nodeSearch) onUnix() {
	nvm := s.dir("NVM_DIR", s.inHome(".nvm"))
	s.nvmDefault(nvm)
	s.versions("nvm", nvm, "versions/node/*/bin/node")

	fnmHome := s.inData("fnm")
	if s.darwin {
		fnmHome = s.inHome("Library/Application Support/fnm")
	}
	for _, fnm := range []string{s.dir("FNM_DIR", fnmHome), s.inHome(".fnm")} {
		s.versions("fnm", fnm, "aliases/default/bin/node")
		s.versions("fnm", fnm, "node-versions/*/installation/bin/node")
	}
	s.versions("volta", s.dir("VOLTA_HOME", s.inHome(".volta")), "tools/image/node/*/bin/node")
	s.versions("mise", s.dir("MISE_DATA_DIR", s.inData("mise")), "installs/node/*/bin/node")
	s.versions("asdf", s.dir("ASDF_DATA_DIR", s.inHome(".asdf")), "installs/nodejs/*/bin/node")
	s.versions("nodenv", s.dir("NODENV_ROOT", s.inHome(".nodenv")), "versions/*/bin/node")
	s.versions("n", s.dir("N_PREFIX", s.at("/usr/local")), "n/versions/node/*/bin/node")
	for _, brew := range []string{"/opt/homebrew", "/usr/local", "/home/linuxbrew/.linuxbrew"} {
		s.versions("homebrew", s.at(brew), "bin/node")
		s.versions("homebrew", s.at(brew), "opt/node@*/bin/node")
	}
	for _, bin := range []string{"/usr/bin", "/opt/local/bin", "/snap/bin", "/run/current-system/sw/bin"} {
		s.versions("system", s.at(bin), "node")
	}
	s.versions("nix", s.inHome(".nix-profile"), "bin/node")
	s.versions("local", s.inHome(".local"), "bin/node")
}

func (s *nodeSearch) onWindows() {
	for _, name := range []string{"ProgramFiles", "ProgramW6432", "ProgramFiles(x86)"} {
		s.versions("installer", s.env(name), "nodejs/node.exe")
	}
	local := s.env("LOCALAPPDATA")
	s.versions("installer", local, "Programs/nodejs/node.exe")
	s.versions("nvm-windows", s.env("NVM_SYMLINK"), "node.exe")
	s.versions("nvm-windows", s.dir("NVM_HOME", under(s.env("APPDATA"), "nvm")), "*/node.exe")
	fnm := s.dir("FNM_DIR", under(s.env("APPDATA"), "fnm"))
	s.versions("fnm", fnm, "aliases/default/node.exe")
	s.versions("fnm", fnm, "node-versions/*/installation/node.exe")
	s.versions("volta", s.dir("VOLTA_HOME", under(local, "Volta")), "tools/image/node/*/node.exe")
	s.versions("mise", s.dir("MISE_DATA_DIR", under(local, "mise")), "installs/node/*/node.exe")
	s.versions("scoop", s.dir("SCOOP", s.inHome("scoop")), "apps/nodejs*/current/node.exe")
}

// nvmDefault adds the version that nvm's alias "default" leads to, possibly by
// way of other aliases ("lts/*", "lts/iron", "20").
func (s *nodeSearch) nvmDefault(nvm string) {
	if nvm == "" {
		return
	}
	name := "default"
	for range 5 { // aliases may go round in circles
		b, err := os.ReadFile(filepath.Join(nvm, "alias", filepath.FromSlash(name)))
		if err != nil {
			break
		}
		name = strings.TrimSpace(string(b))
	}
	version := strings.TrimPrefix(name, "v")
	if version == "" || version[0] < '0' || version[0] > '9' {
		return // no alias, or one that means the newest
	}
	for _, pattern := range []string{"v" + version, "v" + version + ".*"} {
		s.versions("nvm default", nvm, "versions/node/"+pattern+"/bin/node")
	}
}

// versions adds the files below a directory that match a pattern with at most
// one version in it, the newest version first.
func (s *nodeSearch) versions(origin, dir, pattern string) {
	if dir == "" {
		return
	}
	if !slices.Contains(s.places, dir) {
		s.places = append(s.places, dir)
	}
	matches, err := fs.Glob(os.DirFS(dir), pattern)
	if err != nil {
		return
	}
	slices.SortFunc(matches, func(a, b string) int { return slices.Compare(numbers(b), numbers(a)) })
	for _, m := range matches {
		s.add(origin, "", filepath.Join(dir, filepath.FromSlash(m)))
	}
}

// add adds a file if it is there.
func (s *nodeSearch) add(origin, unfit, path string) {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && (s.windows || info.Mode().Perm()&0o111 != 0) {
		s.found = append(s.found, candidate{path: path, origin: origin, unfit: unfit})
	}
}

// exe is the name of the executable. On Windows a node.cmd is a script that
// starts another one, which would not die with it.
func (s *nodeSearch) exe() string {
	if s.windows {
		return "node.exe"
	}
	return "node"
}

// dir is the directory that an environment variable names, else the default.
func (s *nodeSearch) dir(variable, otherwise string) string {
	return cmp.Or(s.env(variable), otherwise)
}

// inHome is a directory of the user's.
func (s *nodeSearch) inHome(name string) string { return under(s.home, name) }

// inData is a directory where programs of the user keep their data.
func (s *nodeSearch) inData(name string) string {
	return under(s.dir("XDG_DATA_HOME", s.inHome(".local/share")), name)
}

// at is a directory of the system.
func (s *nodeSearch) at(dir string) string { return filepath.Join(s.root, filepath.FromSlash(dir)) }

// under is empty when the directory above is unknown.
func under(dir, name string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}

// numbers are the numbers in a path, for comparing versions.
func numbers(path string) []int {
	var out []int
	for _, digits := range strings.FieldsFunc(path, func(r rune) bool { return r < '0' || r > '9' }) {
		if n, err := strconv.Atoi(digits); err == nil {
			out = append(out, n)
		}
	}
	return out
}
