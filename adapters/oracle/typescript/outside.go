package typescript

import (
	"fmt"
	"os"
	"path/filepath"
)

// notInProject explains a file that no configuration covers.
func notInProject(file string) string {
	for d := filepath.Dir(file); ; d = filepath.Dir(d) {
		for _, name := range []string{"tsconfig.json", "jsconfig.json"} {
			nearest := filepath.Join(d, name)
			if _, err := os.Stat(nearest); err != nil {
				continue
			}
			rel, err := filepath.Rel(d, file)
			if err != nil {
				rel = file
			}
			return fmt.Sprintf("%s is the nearest configuration and does not cover this file, so tsc does not check it there; cover it by adding %q to its \"include\" or \"files\", or by importing it from a file of the project",
				nearest, filepath.ToSlash(rel))
		}
		if d == filepath.Dir(d) {
			return "no tsconfig.json covers this file, so it was checked with the compiler's default options; run npx tsc --init in " + packageRoot(filepath.Dir(file)) + " to make one"
		}
	}
}
