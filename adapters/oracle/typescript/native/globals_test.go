package native

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/adapters/oracle"
)

// TestMissingGlobalTypes covers errors that tsc prints about no file, and that
// the language server pushes after the answer: every answer must have them, the
// first included, and none that belongs to another text.
func TestMissingGlobalTypes(t *testing.T) {
	core := []string{"2318", "2318", "2318", "2318", "2318", "2318", "2318", "2318", "2318", "2318"}
	const plain, script, using = "export const a = 1;\n", "var a = 1;", "declare const q: any;\nexport function f() { using x = q; return x; }\n"
	for name, tc := range map[string]struct {
		options string
		text    string
		want    []string
	}{
		"no library, module":       {`"noLib": true`, plain, core},
		"no library, script":       {`"noLib": true`, script, core},
		"library without the core": {`"lib": ["decorators.legacy"]`, plain, core},
		"the library is enough":    {`"lib": ["es2022"]`, plain, nil},
		"enough for a script":      {`"lib": ["es2022"]`, script, nil},
		"using needs more":         {`"lib": ["es2022"]`, using, []string{"2318"}},
		"using has more":           {`"lib": ["esnext"]`, using, nil},
		"the word needs nothing":   {`"lib": ["es2022"]`, "// using\n" + plain, nil},
		"declared by the file":     {`"lib": ["es2022"]`, "declare global { interface Disposable {} interface SymbolConstructor { readonly dispose: unique symbol } }\n" + using, nil},
		"ends in a comment":        {`"noLib": true`, "export {}; // the end", core},
	} {
		t.Run(name, func(t *testing.T) {
			b, root := open(t, map[string]string{
				"tsconfig.json": `{"compilerOptions": {"strict": true, "target": "es2022", "types": [], "noEmit": true, ` + tc.options + `}, "include": ["src"]}`,
				"src/a.ts":      plain,
			})
			for range 2 {
				v := validate(t, b, filepath.Join(root, "src/a.ts"), tc.text)
				require.Empty(t, v.Diagnostics)
				require.Equal(t, append([]string{}, tc.want...), codesOf(v.ProjectErrors))
			}
		})
	}
}

// TestMissingGlobalTypesAreOfOneText holds that what one text lacks is no fault
// of the next.
func TestMissingGlobalTypesAreOfOneText(t *testing.T) {
	b, root := open(t, map[string]string{
		"tsconfig.json": `{"compilerOptions": {"strict": true, "lib": ["es2022"], "types": [], "noEmit": true}, "include": ["src"]}`,
		"src/a.ts":      "export {};\n",
	})
	file := filepath.Join(root, "src/a.ts")
	for range 5 {
		v := validate(t, b, file, "declare const q: any;\nexport async function f() { await using x = q; using y = q; return [x, y]; }\n")
		require.Equal(t, []string{"2318", "2318"}, codesOf(v.ProjectErrors))
		assert.Contains(t, v.Advice[0], "esnext")
		v = validate(t, b, file, "export const a = 1;\n")
		require.Empty(t, v.ProjectErrors)
		v, err := b.Validate(t.Context(), oracle.Document{Path: file, Text: "export const s: string = 1;\n"}, oracle.Check{})
		require.NoError(t, err)
		require.Equal(t, []string{"2322"}, codesOf(v.Diagnostics), "the declarations are gone again")
		require.Empty(t, v.ProjectErrors)
	}
}

// TestMissingGlobalTypesWhereNoneCanBeDeclared has documents that cannot hold
// the declarations which bring the errors out.
func TestMissingGlobalTypesWhereNoneCanBeDeclared(t *testing.T) {
	for name, text := range map[string]string{
		"a.js": "export const a = 1;\n", "b.jsx": "export const b = 1;\n", "c.ts": "// @ts-nocheck\nexport const c = 1;\n", "d.d.ts": "export declare const d: number;\n",
		"e.json": "{}\n",
	} {
		for options, want := range map[string]int{`"noLib": true`: len(coreTypes), `"lib": ["es2022"]`: 0} {
			b, root := open(t, map[string]string{
				"tsconfig.json": `{"compilerOptions": {"allowJs": true, "checkJs": true, "skipLibCheck": true, "resolveJsonModule": true, "jsx": "preserve", "target": "es2022", "module": "esnext", "moduleResolution": "bundler", "types": [], "noEmit": true, ` + options + `}, "include": ["src", "src/*.json"]}`,
				"src/" + name:   text,
			})
			for range 2 {
				v := validate(t, b, filepath.Join(root, "src", name), text)
				require.Empty(t, v.Diagnostics, name)
				assert.Len(t, v.ProjectErrors, want, "%s with %s: %v", name, options, v.Unknown)
			}
		}
	}
}
