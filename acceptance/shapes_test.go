package acceptance_test

import (
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"vibevm.org/acceptance/mcppipe"
	"vibevm.org/acceptance/tsproject"
)

// shape is a way to lay a project out. It is laid out twice: tsc runs in one
// copy, the server on the other, and both must say the same.
type shape struct {
	files map[string]string
	// links are symbolic links, each with where it leads to.
	links map[string]string
	// root is the directory the server is started with, if not the top one.
	root string
	// build makes tsc build the references, which the server's copy lacks.
	build bool
	asked []asked
	// edit are texts written while the server runs, for the questions after.
	edit  map[string]string
	after []asked
}

// asked is a question, and the configuration that tsc is told to judge it by.
type asked struct {
	file, config string
	// errors is whether there are any, so that no two silences are compared.
	errors bool
}

const (
	strictOptions  = `"strict": true, "target": "es2022", "lib": ["es2022"], "module": "esnext", "moduleResolution": "bundler", "types": [], "skipLibCheck": true`
	implicitAny    = "export const identity = (x) => x;\n"
	notAString     = "export const s: string = 1;\n"
	referenceable  = `"composite": true, "outDir": "out", ` + strictOptions
	nodeNextStrict = `"strict": true, "target": "es2022", "lib": ["es2022"], "module": "nodenext", "types": [], "skipLibCheck": true`
)

var shapes = map[string]shape{
	"nearest tsconfig": {
		files: map[string]string{
			"tsconfig.json":            `{"compilerOptions": {"noEmit": true, "types": [], "strict": false, "target": "es2022", "module": "esnext", "moduleResolution": "bundler"}, "include": ["src"]}`,
			"src/a.ts":                 implicitAny,
			"packages/a/tsconfig.json": `{"compilerOptions": {"noEmit": true, ` + strictOptions + `}}`,
			"packages/a/src/a.ts":      implicitAny,
		},
		asked: []asked{{"src/a.ts", "tsconfig.json", false}, {"packages/a/src/a.ts", "packages/a/tsconfig.json", true}},
	},
	"extends": {
		files: map[string]string{
			"tsconfig.json":             `{"extends": "./config/middle", "include": ["src"], "compilerOptions": {"noImplicitReturns": true}}`,
			"config/middle.json":        `{"extends": "../base/tsconfig.base.json", "compilerOptions": {"noUnusedLocals": true}}`,
			"base/tsconfig.base.json":   `{"compilerOptions": {"noEmit": true, ` + strictOptions + `}}`,
			"src/a.ts":                  "export function f(x) { const unused = 1; if (x) return 1; }\n",
			"src/b.ts":                  "export const b: number = 1;\n",
			"packages/p/tsconfig.json":  `{"extends": ["../../base/tsconfig.base.json", "../../config/loose.json"], "include": ["."]}`,
			"config/loose.json":         `{"compilerOptions": {"strict": false, "noUnusedParameters": true}}`,
			"packages/p/a.ts":           "export function f(x, y) { return y; }\n",
			"packages/q/tsconfig.json":  `{"extends": "@org/config/strict.json", "include": ["."]}`,
			"packages/q/a.ts":           implicitAny,
			"packages/r/tsconfig.json":  `{"extends": "@org/config", "include": ["."]}`,
			"packages/r/a.ts":           implicitAny,
			"packages/r/nested/b.ts":    "export const b: number = 1;\n",
			"packages/r/nested/c.tsx":   notAString,
			"packages/r/nested/d.d.ts":  "export declare const d: string;\n",
			"packages/r/nested/use.mts": "import { d } from './d';\nexport const n: number = d;\n",

			"node_modules/@org/config/package.json":  `{"name": "@org/config", "version": "1.0.0"}`,
			"node_modules/@org/config/strict.json":   `{"compilerOptions": {"noEmit": true, ` + strictOptions + `}}`,
			"node_modules/@org/config/tsconfig.json": `{"extends": "./strict.json", "compilerOptions": {"jsx": "preserve"}}`,
		},
		asked: []asked{
			{"src/a.ts", "tsconfig.json", true},
			{"src/b.ts", "tsconfig.json", false},
			{"packages/p/a.ts", "packages/p/tsconfig.json", true},
			{"packages/q/a.ts", "packages/q/tsconfig.json", true},
			{"packages/r/a.ts", "packages/r/tsconfig.json", true},
			{"packages/r/nested/b.ts", "packages/r/tsconfig.json", false},
			{"packages/r/nested/c.tsx", "packages/r/tsconfig.json", true},
			{"packages/r/nested/use.mts", "packages/r/tsconfig.json", true},
		},
		edit: map[string]string{"base/tsconfig.base.json": `{"compilerOptions": {"noEmit": true, ` + strings.Replace(strictOptions, "true", "false", 1) + `}}`},
		after: []asked{
			{"src/a.ts", "tsconfig.json", true},
			{"packages/p/a.ts", "packages/p/tsconfig.json", true},
		},
	},
	"paths of each package": {
		files: map[string]string{
			"tsconfig.base.json":         `{"compilerOptions": {"noEmit": true, "paths": {"@shared/*": ["./shared/*"]}, ` + strictOptions + `}}`,
			"shared/id.ts":               "export type Id = string & { readonly id: true };\n",
			"apps/web/tsconfig.json":     `{"extends": "../../tsconfig.base.json", "compilerOptions": {"paths": {"@/*": ["./src/*"], "@shared/*": ["../../shared/*"]}}, "include": ["src"]}`,
			"apps/web/src/lib/name.ts":   "export const name = 'web';\n",
			"apps/web/src/a.ts":          "import { name } from '@/lib/name';\nimport type { Id } from '@shared/id';\nexport const id: Id = name;\n",
			"apps/web/src/ok.ts":         "import { name } from '@/lib/name';\nexport const n: string = name;\n",
			"apps/api/tsconfig.json":     `{"extends": "../../tsconfig.base.json", "include": ["source"]}`,
			"apps/api/source/a.ts":       "import type { Id } from '@shared/id';\nexport const id: Id = 'api';\n",
			"apps/api/source/ok.ts":      "import type { Id } from '@shared/id';\nexport const id = 'api' as Id;\n",
			"apps/api/source/alien.ts":   "import { name } from '@/lib/name';\nexport const n = name;\n",
			"apps/admin/tsconfig.json":   `{"extends": "../../tsconfig.base.json", "compilerOptions": {"paths": {"@/*": ["./src/*"]}}, "include": ["src"]}`,
			"apps/admin/src/lib/name.ts": "export const name = 7;\n",
			"apps/admin/src/a.ts":        "import { name } from '@/lib/name';\nexport const n: string = name;\n",
		},
		asked: []asked{
			{"apps/web/src/a.ts", "apps/web/tsconfig.json", true},
			{"apps/web/src/ok.ts", "apps/web/tsconfig.json", false},
			{"apps/api/source/a.ts", "apps/api/tsconfig.json", true},
			{"apps/api/source/ok.ts", "apps/api/tsconfig.json", false},
			{"apps/api/source/alien.ts", "apps/api/tsconfig.json", true},
			{"apps/admin/src/a.ts", "apps/admin/tsconfig.json", true},
		},
	},
	"solution": {
		files: map[string]string{
			"tsconfig.json":      `{"files": [], "references": [{"path": "./tsconfig.app.json"}, {"path": "./tsconfig.spec.json"}]}`,
			"tsconfig.app.json":  `{"compilerOptions": {` + referenceable + `}, "include": ["src"], "exclude": ["src/**/*.spec.ts"]}`,
			"tsconfig.spec.json": `{"compilerOptions": {` + strings.Replace(strings.Replace(referenceable, `"out"`, `"out-spec"`, 1), `"strict": true`, `"strict": false`, 1) + `}, "include": ["src/**/*.spec.ts"], "references": [{"path": "./tsconfig.app.json"}]}`,
			"src/a.ts":           "export const identity = (x) => x;\nexport const a: string = identity(1);\n",
			"src/b.ts":           "export const b: number = 1;\n",
			"src/a.spec.ts":      "import { b } from './b';\nexport const loose = (x) => x;\nexport const s: string = b;\n",
		},
		build: true,
		asked: []asked{{"src/a.ts", "tsconfig.app.json", true}, {"src/b.ts", "tsconfig.app.json", false}, {"src/a.spec.ts", "tsconfig.spec.json", true}},
		edit:  map[string]string{"src/b.ts": "export const b: boolean = true;\n"},
		after: []asked{{"src/a.spec.ts", "tsconfig.spec.json", true}, {"src/b.ts", "tsconfig.app.json", false}},
	},
	"project references": {
		files: map[string]string{
			"tsconfig.json":                    `{"files": [], "references": [{"path": "packages/core"}, {"path": "packages/app"}]}`,
			"packages/core/package.json":       `{"name": "@org/core", "version": "1.0.0", "types": "./dist/index.d.ts", "main": "./dist/index.js"}`,
			"packages/core/tsconfig.json":      `{"compilerOptions": {"composite": true, "rootDir": "src", "outDir": "dist", ` + strictOptions + `}, "include": ["src"]}`,
			"packages/core/src/index.ts":       "export * from './price';\n",
			"packages/core/src/price.ts":       "export interface Price { cents: number }\nexport const free: Price = { cents: 0 };\n",
			"packages/app/tsconfig.json":       `{"compilerOptions": {"composite": true, "rootDir": "src", "outDir": "dist", ` + strictOptions + `}, "include": ["src"], "references": [{"path": "../core"}]}`,
			"packages/app/src/by-package.ts":   "import { free } from '@org/core';\nexport const n: string = free.cents;\n",
			"packages/app/src/by-path.ts":      "import { free } from '../../core/src/price';\nexport const n: string = free.cents;\n",
			"packages/app/src/right.ts":        "import { free } from '@org/core';\nexport const n: number = free.cents;\n",
			"packages/app/src/right-source.ts": "import { free } from '../../core/src/index';\nexport const n: number = free.cents;\n",
		},
		links: map[string]string{"node_modules/@org/core": "../../packages/core"},
		build: true,
		asked: []asked{
			{"packages/app/src/by-package.ts", "packages/app/tsconfig.json", true},
			{"packages/app/src/by-path.ts", "packages/app/tsconfig.json", true},
			{"packages/app/src/right.ts", "packages/app/tsconfig.json", false},
			{"packages/app/src/right-source.ts", "packages/app/tsconfig.json", false},
			{"packages/core/src/price.ts", "packages/core/tsconfig.json", false},
		},
		edit: map[string]string{"packages/core/src/price.ts": "export interface Price { cents: string }\nexport const free: Price = { cents: '0' };\n"},
		after: []asked{
			{"packages/app/src/right.ts", "packages/app/tsconfig.json", true},
			{"packages/app/src/right-source.ts", "packages/app/tsconfig.json", true},
			{"packages/app/src/by-package.ts", "packages/app/tsconfig.json", false},
			{"packages/app/src/by-path.ts", "packages/app/tsconfig.json", false},
		},
	},
	"every extension": {
		files: map[string]string{
			"tsconfig.json": `{"compilerOptions": {"noEmit": true, "allowJs": true, "checkJs": true, "resolveJsonModule": true, "jsx": "preserve", "skipLibCheck": false, ` + strings.Replace(nodeNextStrict, `, "skipLibCheck": true`, "", 1) + `}, "include": ["src"]}`,
			"package.json":  `{"name": "every-extension", "type": "module"}`,
			"src/data.json": `{"name": "x", "count": 1}`,
			"src/jsx.d.ts":  "declare global { namespace JSX { interface Element { tag: string } interface IntrinsicElements { b: { count: number } } } }\nexport {};\n",
			"src/a.ts":      "import data from './data.json' with { type: 'json' };\nimport { bad } from './bad.cjs';\nexport const n: string = data.count;\nexport const m: string = bad;\n",
			"src/b.tsx":     "export const b = <b count='1' />;\n",
			"src/c.mts":     "export const c: string = 1;\nexport const where = import.meta.url;\n",
			"src/d.cts":     "const d: string = 1;\nexport = d;\n",
			"src/e.js":      "/** @type {string} */\nexport const e = 1;\n",
			"src/f.jsx":     "export const f = <b count='1' />;\n",
			"src/g.d.ts":    "export declare const g: Missing;\n",
			"src/h.mjs":     "/** @param {string} x */\nexport const h = (x) => x * 2;\n",
			"src/bad.cjs":   "/** @type {number} */\nconst bad = 'x';\nexports.bad = bad;\n",
			"src/i.ts":      "import { e } from './e.js';\nimport { h } from './h.mjs';\nimport { c } from './c.mjs';\nimport type { g } from './g.js';\nexport const r: string = e + h('') + c;\nexport type G = typeof g;\n",
			"src/k.d.mts":   "export declare const k: number;\n",
			"src/k.mjs":     "export const k = 1;\n",
			"src/l.mts":     "import { k } from './k.mjs';\nexport const l: string = k;\n",
		},
		asked: []asked{
			{"src/a.ts", "tsconfig.json", true},
			{"src/b.tsx", "tsconfig.json", true},
			{"src/c.mts", "tsconfig.json", true},
			{"src/d.cts", "tsconfig.json", true},
			{"src/e.js", "tsconfig.json", true},
			{"src/f.jsx", "tsconfig.json", true},
			{"src/g.d.ts", "tsconfig.json", true},
			{"src/h.mjs", "tsconfig.json", true},
			{"src/bad.cjs", "tsconfig.json", true},
			{"src/i.ts", "tsconfig.json", false},
			{"src/jsx.d.ts", "tsconfig.json", false},
			{"src/data.json", "tsconfig.json", false},
			{"src/l.mts", "tsconfig.json", true},
		},
		edit:  map[string]string{"src/data.json": `{"name": "x", "count": "1"}`, "src/e.js": "export const e = 'x';\n"},
		after: []asked{{"src/a.ts", "tsconfig.json", true}, {"src/e.js", "tsconfig.json", false}},
	},
	"pnpm store": {
		files: map[string]string{
			"tsconfig.json": `{"compilerOptions": {"noEmit": true, ` + strictOptions + `}, "include": ["src"]}`,
			"src/a.ts":      "import { first } from 'dep';\nexport const n: number = first;\n",
			"src/b.ts":      "import { hidden } from 'inner';\nexport const b = hidden;\n",
			"src/c.ts":      "import { first } from 'dep';\nexport const s: string = first;\n",

			"node_modules/.pnpm/dep@1.0.0/node_modules/dep/package.json":     `{"name": "dep", "version": "1.0.0", "types": "index.d.ts"}`,
			"node_modules/.pnpm/dep@1.0.0/node_modules/dep/index.d.ts":       "export { hidden as first } from 'inner';\n",
			"node_modules/.pnpm/inner@2.0.0/node_modules/inner/package.json": `{"name": "inner", "version": "2.0.0", "types": "index.d.ts"}`,
			"node_modules/.pnpm/inner@2.0.0/node_modules/inner/index.d.ts":   "export declare const hidden: string;\n",
		},
		links: map[string]string{
			"node_modules/dep": ".pnpm/dep@1.0.0/node_modules/dep",
			"node_modules/.pnpm/dep@1.0.0/node_modules/inner": "../../inner@2.0.0/node_modules/inner",
		},
		asked: []asked{{"src/a.ts", "tsconfig.json", true}, {"src/b.ts", "tsconfig.json", true}, {"src/c.ts", "tsconfig.json", false}},
	},
	"npm and yarn workspaces": {
		files: map[string]string{
			"package.json":               `{"private": true, "workspaces": ["packages/*"]}`,
			"packages/lib/package.json":  `{"name": "@org/lib", "version": "1.0.0", "exports": {".": {"types": "./src/index.ts"}}}`,
			"packages/lib/tsconfig.json": `{"compilerOptions": {"noEmit": true, ` + strictOptions + `}, "include": ["src"]}`,
			"packages/lib/src/index.ts":  "export const size: number = 1;\n",
			"packages/app/package.json":  `{"name": "@org/app", "version": "1.0.0", "dependencies": {"@org/lib": "*"}}`,
			"packages/app/tsconfig.json": `{"compilerOptions": {"noEmit": true, ` + strictOptions + `}, "include": ["src"]}`,
			"packages/app/src/a.ts":      "import { size } from '@org/lib';\nexport const s: string = size;\n",
			"packages/app/src/b.ts":      "import { size } from '@org/lib';\nexport const n: number = size;\n",
		},
		links: map[string]string{"node_modules/@org/lib": "../../packages/lib", "node_modules/@org/app": "../../packages/app"},
		asked: []asked{
			{"packages/app/src/a.ts", "packages/app/tsconfig.json", true},
			{"packages/app/src/b.ts", "packages/app/tsconfig.json", false},
			{"packages/lib/src/index.ts", "packages/lib/tsconfig.json", false},
		},
		edit: map[string]string{"packages/lib/src/index.ts": "export const size: string = '1';\n"},
		after: []asked{
			{"packages/app/src/a.ts", "packages/app/tsconfig.json", false},
			{"packages/app/src/b.ts", "packages/app/tsconfig.json", true},
		},
	},
	"a package of a monorepo as root": {
		files: map[string]string{
			"package.json":               `{"private": true, "workspaces": ["packages/*"]}`,
			"tsconfig.base.json":         `{"compilerOptions": {"noEmit": true, ` + strictOptions + `}}`,
			"packages/lib/package.json":  `{"name": "@org/lib", "version": "1.0.0", "types": "./src/index.ts"}`,
			"packages/lib/src/index.ts":  "export const size: number = 1;\n",
			"packages/app/package.json":  `{"name": "@org/app"}`,
			"packages/app/tsconfig.json": `{"extends": "../../tsconfig.base.json", "include": ["src"]}`,
			"packages/app/src/a.ts":      "import { size } from '@org/lib';\nexport const s: string = size;\n",
		},
		links: map[string]string{"node_modules/@org/lib": "../../packages/lib"},
		root:  "packages/app",
		asked: []asked{{"packages/app/src/a.ts", "packages/app/tsconfig.json", true}},
		edit:  map[string]string{"packages/lib/src/index.ts": "export const size: string = '';\n"},
		after: []asked{{"packages/app/src/a.ts", "packages/app/tsconfig.json", false}},
	},
	"JavaScript with checkJs": {
		files: map[string]string{
			"tsconfig.json": `{"compilerOptions": {"noEmit": true, "allowJs": true, "checkJs": true, ` + strictOptions + `}, "include": ["lib"]}`,
			"lib/a.js":      "/** @type {string} */\nexport const a = 1;\n/** @param {number} x */\nexport function f(x) { return x.length; }\n",
			"lib/b.js":      "// @ts-nocheck\nexport const b = missing;\n",
			"lib/c.js":      "import { f } from './a.js';\nexport const c = f('');\n",
			"lib/d.js":      "import { f } from './a.js';\nexport const d = f(1);\n",
		},
		asked: []asked{{"lib/a.js", "tsconfig.json", true}, {"lib/b.js", "tsconfig.json", false}, {"lib/c.js", "tsconfig.json", true}, {"lib/d.js", "tsconfig.json", false}},
	},
	"JavaScript with a jsconfig": {
		files: map[string]string{
			"jsconfig.json": `{"compilerOptions": {"checkJs": true, "noEmit": true, ` + strictOptions + `}, "exclude": ["node_modules"]}`,
			"a.js":          "/** @type {string} */\nexport const a = 1;\n",
			"b.js":          "import { a } from './a.js';\nexport const b = a.length;\n",
		},
		asked: []asked{{"a.js", "jsconfig.json", true}, {"b.js", "jsconfig.json", false}},
	},
	"JavaScript that is not checked": {
		files: map[string]string{
			"tsconfig.json": `{"compilerOptions": {"noEmit": true, "allowJs": true, ` + strictOptions + `}, "include": ["lib"]}`,
			"lib/a.js":      "/** @type {string} */\nexport const a = 1;\n",
			"lib/b.js":      "// @ts-check\n/** @type {string} */\nexport const a = 1;\n",
		},
		asked: []asked{{"lib/a.js", "tsconfig.json", false}, {"lib/b.js", "tsconfig.json", true}},
	},
	"two configurations that claim one file": {
		files: map[string]string{
			"tsconfig.json":       `{"compilerOptions": {"noEmit": true, ` + strictOptions + `}, "include": ["src"]}`,
			"tsconfig.build.json": `{"compilerOptions": {"noEmit": true, ` + strings.Replace(strictOptions, "true", "false", 1) + `}, "include": ["src"]}`,
			"src/a.ts":            implicitAny,
		},
		asked: []asked{{"src/a.ts", "tsconfig.json", true}},
	},
	"two references that claim one file": {
		files: map[string]string{
			"tsconfig.json":       `{"files": [], "references": [{"path": "./tsconfig.build.json"}, {"path": "./tsconfig.test.json"}]}`,
			"tsconfig.build.json": `{"compilerOptions": {` + referenceable + `}, "include": ["src"]}`,
			"tsconfig.test.json":  `{"compilerOptions": {` + strings.Replace(strings.Replace(referenceable, `"out"`, `"out-test"`, 1), "true, \"target", "false, \"target", 1) + `}, "include": ["src", "test"]}`,
			"src/a.ts":            implicitAny,
			"test/a.ts":           implicitAny,
		},
		asked: []asked{{"src/a.ts", "tsconfig.build.json", true}, {"test/a.ts", "tsconfig.test.json", false}},
	},
	"a worktree inside another repository": {
		files: map[string]string{
			".git/HEAD":                              "ref: refs/heads/main\n",
			"tsconfig.json":                          `{"compilerOptions": {"noEmit": true, ` + strings.Replace(strictOptions, "true", "false", 1) + `}, "exclude": [".trees"]}`,
			"src/a.ts":                               implicitAny,
			"src/b.ts":                               "export const b = 1;\n",
			".trees/fix/.git":                        "gitdir: ../../.git/worktrees/fix\n",
			".trees/fix/tsconfig.json":               `{"compilerOptions": {"noEmit": true, ` + strictOptions + `}, "include": ["src"]}`,
			".trees/fix/src/a.ts":                    implicitAny,
			".trees/fix/src/b.ts":                    "export const b = 'x';\n",
			".trees/fix/src/c.ts":                    "import { b } from './b';\nexport const n: number = b;\n",
			".trees/fix/node_modules/dep/index.d.ts": "export declare const dep: string;\n",
			".trees/fix/src/d.ts":                    "import { dep } from 'dep';\nexport const n: number = dep;\n",
		},
		root: ".trees/fix",
		asked: []asked{
			{".trees/fix/src/a.ts", ".trees/fix/tsconfig.json", true},
			{".trees/fix/src/c.ts", ".trees/fix/tsconfig.json", true},
			{".trees/fix/src/d.ts", ".trees/fix/tsconfig.json", true},
			{".trees/fix/src/b.ts", ".trees/fix/tsconfig.json", false},
		},
		edit:  map[string]string{".trees/fix/src/b.ts": "export const b = 1;\n"},
		after: []asked{{".trees/fix/src/c.ts", ".trees/fix/tsconfig.json", false}},
	},
	"a worktree seen from the outer repository": {
		files: map[string]string{
			".git/HEAD":                "ref: refs/heads/main\n",
			"tsconfig.json":            `{"compilerOptions": {"noEmit": true, ` + strings.Replace(strictOptions, "true", "false", 1) + `}, "exclude": [".trees"]}`,
			"src/a.ts":                 implicitAny,
			".trees/fix/.git":          "gitdir: ../../.git/worktrees/fix\n",
			".trees/fix/tsconfig.json": `{"compilerOptions": {"noEmit": true, ` + strictOptions + `}, "include": ["src"]}`,
			".trees/fix/src/a.ts":      implicitAny,
		},
		asked: []asked{{"src/a.ts", "tsconfig.json", false}, {".trees/fix/src/a.ts", ".trees/fix/tsconfig.json", true}},
		edit:  map[string]string{"src/a.ts": notAString, ".trees/fix/src/a.ts": "export const a = 1;\n"},
		after: []asked{{"src/a.ts", "tsconfig.json", true}, {".trees/fix/src/a.ts", ".trees/fix/tsconfig.json", false}},
	},
	"configurations that tsc refuses": eachInItsOwnDirectory(brokenConfigs),
}

// brokenConfigs are what nothing may be clean under, while tsc fails.
var brokenConfigs = map[string]string{
	"an-unknown-option":         `{"compilerOptions": {"noEmit": true, "stricter": true, ` + strictOptions + `}, "include": ["src"]}`,
	"an-option-of-a-wrong-type": `{"compilerOptions": {"noEmit": "yes", ` + strictOptions + `}, "include": ["src"]}`,
	"options-that-contradict":   `{"compilerOptions": {"noEmit": true, "declarationMap": true, ` + strictOptions + `}, "include": ["src"]}`,
	"a-base-that-is-missing":    `{"extends": "./nowhere.json", "compilerOptions": {"noEmit": true, ` + strictOptions + `}, "include": ["src"]}`,
	"a-base-package-missing":    `{"extends": "@org/nowhere", "compilerOptions": {"noEmit": true, ` + strictOptions + `}, "include": ["src"]}`,
	"a-listed-file-missing":     `{"compilerOptions": {"noEmit": true, ` + strictOptions + `}, "files": ["src/a.ts", "src/gone.ts"]}`,
	"types-that-are-missing":    `{"compilerOptions": {"noEmit": true, ` + strings.Replace(strictOptions, "[]", `["nowhere"]`, 1) + `}, "include": ["src"]}`,
	"a-reference-missing":       `{"compilerOptions": {` + referenceable + `}, "include": ["src"], "references": [{"path": "./nowhere"}]}`,
	"syntax-of-the-tsconfig":    `{"compilerOptions": {"noEmit": true, "strict": true "types": []}, "include": ["src"]}`,
	"the-root-directory-left":   `{"compilerOptions": {"noEmit": true, "rootDir": "lib", ` + strictOptions + `}, "include": ["src"]}`,
	"an-old-target":             `{"compilerOptions": {"noEmit": true, "strict": true, "types": [], "target": "es3"}, "include": ["src"]}`,
	"a-removed-option":          `{"compilerOptions": {"noEmit": true, "keyofStringsOnly": true, ` + strictOptions + `}, "include": ["src"]}`,
}

// eachInItsOwnDirectory is a repository of projects whose configurations tsc
// refuses.
func eachInItsOwnDirectory(configs map[string]string) shape {
	s := shape{files: map[string]string{}}
	for _, dir := range slices.Sorted(maps.Keys(configs)) {
		s.files[dir+"/tsconfig.json"] = configs[dir]
		s.files[dir+"/src/a.ts"] = "export const a: number = 1;\n"
		s.asked = append(s.asked, asked{dir + "/src/a.ts", dir + "/tsconfig.json", false})
	}
	return s
}

// releases are the compilers that every shape is tried with.
func releases(t *testing.T) []tsproject.Release {
	t.Helper()
	seven, err := tsproject.Release7()
	require.NoError(t, err)
	all := []tsproject.Release{seven}
	for _, version := range onNode {
		r, err := tsproject.ReleaseOnNode(version)
		require.NoError(t, err)
		all = append(all, r)
	}
	return all
}

var onNode = []string{"5.9.3", "6.0.3"}

func TestProjectShapes(t *testing.T) {
	t.Parallel()
	for _, release := range releases(t) {
		for _, name := range slices.Sorted(maps.Keys(shapes)) {
			t.Run(release.Version+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := shapes[name]
				truth, served := s.layOut(t, release), s.layOut(t, release)
				session := serveRelease(t, served.Path(s.root))
				s.compare(t, release, session, truth, served, s.asked)
				for file, text := range s.edit {
					require.NoError(t, truth.Write(file, text))
					require.NoError(t, served.Write(file, text))
				}
				s.compare(t, release, session, truth, served, s.after)
			})
		}
	}
}

// layOut makes a copy of the project.
func (s shape) layOut(t *testing.T, release tsproject.Release) *tsproject.Project {
	t.Helper()
	project := emptyProject(t)
	require.NoError(t, release.LinkInto(project.Dir))
	for file, text := range s.files {
		require.NoError(t, project.Write(file, text))
	}
	for link, target := range s.links {
		require.NoError(t, os.MkdirAll(filepath.Dir(project.Path(link)), 0o755))
		require.NoError(t, os.Symlink(filepath.FromSlash(target), project.Path(link)))
	}
	return project
}

// emptyProject is a directory for one.
func emptyProject(t *testing.T) *tsproject.Project {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return &tsproject.Project{Dir: dir}
}

// serveRelease starts the TypeScript server for any release on a directory.
func serveRelease(t *testing.T, dir string) *mcppipe.Session {
	t.Helper()
	session := start(t, mcppipe.Server{
		Path: binary(t, "apps/typescript-ai-native-mcp"), Args: []string{"--path", dir}, Env: environmentWithNode(t),
	}, false)
	_, err := session.Initialize(within60s(t))
	require.NoError(t, err)
	return session
}

// environmentWithNode is a clean environment in which node is found.
func environmentWithNode(t *testing.T) []string {
	t.Helper()
	node, err := exec.LookPath("node")
	require.NoError(t, err, "install Node.js 20 or newer")
	env := cleanEnvironment(t)
	for i, entry := range env {
		if list, ok := strings.CutPrefix(entry, "PATH="); ok {
			env[i] = "PATH=" + list + string(filepath.ListSeparator) + filepath.Dir(node)
		}
	}
	return env
}

// compare asks the questions, about the disk and about the same text as
// content, and requires the answers of tsc.
func (s shape) compare(t *testing.T, release tsproject.Release, session *mcppipe.Session, truth, served *tsproject.Project, questions []asked) {
	t.Helper()
	said := map[string][]tsproject.Diagnostic{}
	for _, q := range questions {
		found, ok := said[q.config]
		if !ok {
			found = s.tsc(t, release, truth, q.config)
			said[q.config] = found
		}
		aboutFile, aboutProject := split(found, q.file)
		require.Equal(t, q.errors, len(aboutFile) > 0, "tsc about %s: %v", q.file, found)
		text, err := served.Read(q.file)
		require.NoError(t, err)
		file := strings.TrimPrefix(q.file, strings.TrimSuffix(s.root, "/")+"/")
		for _, question := range []object{{"file": file}, {"file": file, "content": text}} {
			question["budget"] = 100_000
			result, v := validate(t, session, question)
			assert.Equal(t, release.Version, v.Engine.Version)
			assert.Equal(t, render(aboutFile), render(v.asTsc(q.file, served)), "%s: %s", q.file, result.Text)
			assert.Equal(t, codesOf(aboutProject), codesOf(v.projectErrors(t, result)), "%s: %s\ntsc: %v", q.file, result.Text, aboutProject)
			assert.Equal(t, verdictOf(aboutFile, aboutProject), v.Verdict, "%s: %s", q.file, result.Text)
			assert.Equal(t, q.config, path.Join(s.root, v.ConfigFile))
		}
	}
}

// tsc is what the release's compiler says about a configuration.
func (s shape) tsc(t *testing.T, release tsproject.Release, truth *tsproject.Project, config string) []tsproject.Diagnostic {
	t.Helper()
	if s.build {
		_, err := release.Tsc(within60s(t), truth.Dir, "-b", ".")
		require.NoError(t, err)
	}
	found, err := release.Tsc(within60s(t), truth.Dir, "--noEmit", "-p", config)
	require.NoError(t, err)
	for i := range found {
		found[i].Message = strings.ReplaceAll(found[i].Message, truth.Dir, "")
	}
	return found
}

// split takes apart what tsc says about a file and about the project as such.
func split(found []tsproject.Diagnostic, file string) (aboutFile, aboutProject []tsproject.Diagnostic) {
	for _, d := range found {
		switch {
		case d.File == file:
			aboutFile = append(aboutFile, d)
		case d.File == "" || strings.HasSuffix(d.File, ".json"):
			aboutProject = append(aboutProject, d)
		}
	}
	sortDiagnostics(aboutFile)
	return aboutFile, aboutProject
}

// verdictOf is the verdict that tsc's words amount to.
func verdictOf(aboutFile, aboutProject []tsproject.Diagnostic) string {
	switch {
	case len(aboutFile) > 0:
		return "errors"
	case len(aboutProject) > 0:
		return "unknown"
	}
	return "clean"
}

// asTsc is what the answer says about the file, as tsc would.
func (v validation) asTsc(file string, served *tsproject.Project) []tsproject.Diagnostic {
	var out []tsproject.Diagnostic
	for _, d := range v.Diagnostics {
		message := strings.ReplaceAll(d.Message, served.Dir, "")
		out = append(out, tsproject.Diagnostic{File: file, Line: d.Line, Character: d.Character, Code: d.Code, Message: message})
	}
	sortDiagnostics(out)
	return out
}

func (v validation) projectErrors(t *testing.T, result mcppipe.ToolResult) []tsproject.Diagnostic {
	t.Helper()
	var p struct {
		ProjectErrors []diagnostic `json:"project_errors"`
	}
	require.NoError(t, result.Decode(&p))
	var out []tsproject.Diagnostic
	for _, d := range p.ProjectErrors {
		out = append(out, tsproject.Diagnostic{Line: d.Line, Code: d.Code})
	}
	return out
}

// codesOf are the codes, sorted: where tsc prints errors of a configuration is
// not always in it.
func codesOf(list []tsproject.Diagnostic) []int {
	codes := []int{}
	for _, d := range list {
		codes = append(codes, d.Code)
	}
	slices.Sort(codes)
	return codes
}

// A file that no configuration covers is judged by default options, which is
// no verdict, and the answer says what would cover it.
func TestFilesOutsideEveryInclude(t *testing.T) {
	eachRelease(t, func(t *testing.T, release tsproject.Release) {
		t.Helper()
		project := shape{files: map[string]string{
			"tsconfig.json":                `{"compilerOptions": {"noEmit": true, ` + strictOptions + `}, "include": ["src"], "exclude": ["src/old"]}`,
			"src/a.ts":                     "export const a = 1;\n",
			"src/old/b.ts":                 notAString,
			"tools/c.ts":                   notAString,
			"vite.config.ts":               "export default {};\n",
			"src/d.js":                     notAString,
			"packages/e/package.json":      "{}",
			"packages/e/tsconfig.json":     `{"files": [], "references": [{"path": "./tsconfig.lib.json"}]}`,
			"packages/e/tsconfig.lib.json": `{"compilerOptions": {` + referenceable + `}, "include": ["src"]}`,
			"packages/e/src/e.ts":          "export {};\n",
			"packages/e/test/e.ts":         notAString,
		}}.layOut(t, release)
		said := shape{}.tsc(t, release, project, "tsconfig.json")
		require.Empty(t, said, "tsc judges none of them")
		session := serveRelease(t, project.Dir)
		for file, config := range map[string]string{
			"src/old/b.ts": "tsconfig.json", "tools/c.ts": "tsconfig.json", "vite.config.ts": "tsconfig.json", "src/d.js": "tsconfig.json",
			"src/old/hypothetical.ts": "tsconfig.json", "packages/e/test/e.ts": "packages/e/tsconfig.json",
		} {
			question := object{"file": file}
			if file == "src/old/hypothetical.ts" {
				question["content"] = notAString
			}
			result, v := validate(t, session, question)
			assert.Equal(t, "unknown", v.Verdict, "%s: %s", file, result.Text)
			assert.Equal(t, "not-in-project", v.Reason, "%s: %s", file, result.Text)
			assert.Empty(t, v.ConfigFile, file)
			assert.False(t, result.IsError, file)
			if assert.NotNil(t, v.Advice) && assert.Len(t, *v.Advice, 1, file) {
				advice := (*v.Advice)[0]
				assert.Contains(t, advice, project.Path(config), file)
				rel, err := filepath.Rel(filepath.Dir(project.Path(config)), project.Path(file))
				require.NoError(t, err)
				assert.Contains(t, advice, filepath.ToSlash(rel), file)
			}
		}
		// As told: an import makes it part of the project.
		require.NoError(t, project.Write("src/a.ts", "import '../tools/c';\nexport const a = 1;\n"))
		result, v := validate(t, session, object{"file": "tools/c.ts"})
		assert.Equal(t, []int{2322}, v.codes(), "%s", result.Text)
		assert.Equal(t, "errors", v.Verdict)
		assert.Equal(t, "tsconfig.json", v.ConfigFile)
	})
}

// The root may be a link, and files may be named by either of its names.
func TestRootGivenThroughASymlink(t *testing.T) {
	eachRelease(t, func(t *testing.T, release tsproject.Release) {
		t.Helper()
		project := newStrict(t, release, map[string]string{"a.ts": notAString, "b.ts": "import { s } from './a';\nexport const n: number = s;\n"})
		link := filepath.Join(t.TempDir(), "link")
		require.NoError(t, os.Symlink(project.Dir, link))
		for _, root := range []string{link, project.Dir} {
			session := serveRelease(t, root)
			for _, file := range []string{"src/a.ts", filepath.Join(link, "src/a.ts"), project.Path("src/a.ts"), "file://" + filepath.ToSlash(filepath.Join(link, "src/a.ts"))} {
				result, v := validate(t, session, object{"file": file})
				assert.Equal(t, []int{2322}, v.codes(), "%s in %s: %s", file, root, result.Text)
				assert.Equal(t, "src/a.ts", v.File)
				assert.Equal(t, "tsconfig.json", v.ConfigFile)
			}
			_, v := validate(t, session, object{"file": filepath.Join(link, "src/a.ts"), "content": "export const s = 1;\n"})
			assert.Equal(t, "clean", v.Verdict)
			_, v = validate(t, session, object{"file": "src/b.ts"})
			assert.Equal(t, []int{2322}, v.codes())
		}
	})
}

// Each package of a monorepo is judged by the compiler it installs, in turn.
func TestTwoVersionsSideBySide(t *testing.T) {
	t.Parallel()
	all := releases(t)
	project := emptyProject(t)
	for _, release := range all {
		dir := "packages/v" + release.Version
		require.NoError(t, release.LinkInto(project.Path(dir)))
		require.NoError(t, project.Write(dir+"/tsconfig.json", `{"compilerOptions": {"noEmit": true, `+strictOptions+`}, "include": ["src"]}`))
		require.NoError(t, project.Write(dir+"/src/a.ts", notAString))
	}
	require.NoError(t, project.Write("package.json", `{"workspaces": ["packages/*"]}`))
	session := serveRelease(t, project.Dir)
	for range 3 {
		for _, release := range all {
			_, v := validate(t, session, object{"file": "packages/v" + release.Version + "/src/a.ts"})
			assert.Equal(t, release.Version, v.Engine.Version)
			assert.Equal(t, []int{2322}, v.codes())
			_, v = validate(t, session, object{"file": "packages/v" + release.Version + "/src/a.ts", "content": "export const s: string = '';\n"})
			assert.Equal(t, release.Version, v.Engine.Version)
			assert.Equal(t, "clean", v.Verdict)
		}
	}
}

// A configuration that an agent means to write is judged like any other file:
// what tsc would refuse is never clean. TypeScript 7 says all that is wrong with
// it; of the others it is answered that only the syntax was checked.
func TestConfigurationsAreJudgedBeforeTheyAreWritten(t *testing.T) {
	eachRelease(t, func(t *testing.T, release tsproject.Release) {
		t.Helper()
		sound := `{"compilerOptions": {"noEmit": true, ` + strictOptions + `}, "include": ["src"]}`
		files := map[string]string{"tsconfig.json": sound, "src/a.ts": "export const a: number = 1;\n"}
		truth, served := shape{files: files}.layOut(t, release), shape{files: files}.layOut(t, release)
		session := serveRelease(t, served.Dir)
		result, v := validate(t, session, object{"file": "tsconfig.json"})
		if release.Native() {
			assert.Equal(t, "clean", v.Verdict, "%s", result.Text)
		}
		for name, config := range brokenConfigs {
			require.NoError(t, truth.Write("tsconfig.json", config))
			said := shape{}.tsc(t, release, truth, "tsconfig.json")
			aboutFile, aboutProject := split(said, "tsconfig.json")
			result, v := validate(t, session, object{"file": "tsconfig.json", "content": config})
			if len(said) == 0 {
				assert.NotEqual(t, "errors", v.Verdict, "%s: %s", name, result.Text)
				continue
			}
			assert.NotEqual(t, "clean", v.Verdict, "%s: %s\ntsc: %v", name, result.Text, said)
			if !release.Native() {
				continue
			}
			all := slices.Concat(v.asTsc("tsconfig.json", served), v.projectErrors(t, result))
			assert.Subset(t, codesOf(all), codesOf(aboutProject), "%s: %s", name, result.Text)
			assert.Equal(t, codesOf(said), codesOf(all), "%s: %s\ntsc: %v", name, result.Text, said)
			for _, d := range v.asTsc("tsconfig.json", served) {
				assert.Contains(t, render(aboutFile), d.String(), name)
			}
			// Nothing of it stays.
			_, v = validate(t, session, object{"file": "src/a.ts"})
			assert.Equal(t, "clean", v.Verdict, name)
		}
	})
}
