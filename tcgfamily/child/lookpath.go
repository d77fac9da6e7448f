package child

import (
	"os/exec"
	"path/filepath"
)

// LookPath finds an executable on PATH and returns its absolute path. A
// program in the current directory is not found, whatever PATH says: the
// current directory is the user's project. The error is an *exec.Error that
// names the program.
func LookPath(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}
