package typescript

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"vibevm.org/adapters/oracle/typescript/native"

	"vibevm.org/tcgfamily/oracleproto"
)

// notInProject explains a file that no configuration covers.
func notInProject(file string) string {
	switch name := filepath.Base(file); {
	case native.IsConfiguration(file):
		return "no file of a project is read under this configuration by itself, so only its syntax was checked; run npx tsc --noEmit -p " + file + " to have its options checked"
	case name == "package.json":
		return "package.json decides how imports are resolved and is itself no part of a program, so only its syntax was checked; the files that depend on it are judged by it as it is on disk"
	case strings.EqualFold(filepath.Ext(name), ".json"):
		return "a JSON file is part of a project when one of its files imports it and \"resolveJsonModule\" is on; until then only its syntax is checked"
	}
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

// errorCannotRead is TS5083, "Cannot read file '{0}'".
const errorCannotRead = 5083

// unreadable is what tsc says of a configuration nearer to a file than the one
// that answered, if it is there and cannot be read: the compilers then go on to
// the next one above, and answer for a project that the file is not in.
func unreadable(file, governing string) *oracleproto.Diagnostic {
	for d := filepath.Dir(file); ; d = filepath.Dir(d) {
		for _, name := range []string{"tsconfig.json", "jsconfig.json"} {
			config := filepath.Join(d, name)
			if config == governing {
				return nil
			}
			if info, err := os.Stat(config); err != nil || !info.Mode().IsRegular() {
				continue
			}
			f, err := os.Open(config)
			if err != nil {
				return &oracleproto.Diagnostic{
					Code: oracleproto.NumberCode(errorCannotRead), Category: "error",
					Message: "Cannot read file '" + filepath.ToSlash(config) + "'.",
				}
			}
			_ = f.Close()
		}
		if d == filepath.Dir(d) || d == filepath.Dir(governing) {
			return nil
		}
	}
}
