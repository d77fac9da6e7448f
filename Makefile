# Everything a reader of this repository runs. `make test` is what CI runs.
# Tools and packages that the targets need are installed into .cache/ by the
# targets themselves; nothing outside the checkout is written, except that rustup
# is asked for its rust-analyzer component when no rust-analyzer runs.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

ifeq ($(shell command -v go),)
$(error go is missing: install Go 1.26 or newer)
endif

# The modules are the ones of go.work, the binaries the mains in apps/.
MODULES := $(shell go work edit -json | sed -n 's|.*"DiskPath": "\./\(.*\)".*|\1|p')
PACKAGES := $(MODULES:%=./%/...)
APPS := $(sort $(patsubst apps/%/main.go,%,$(wildcard apps/*/main.go)))
SOURCES := $(shell find $(MODULES) -name '*.go' ! -name '*_test.go' -o -name go.mod -o -name go.sum 2>/dev/null)

CACHE := $(CURDIR)/.cache
EXE := $(shell go env GOEXE)

# Systems the product must build and vet for, next to the one it is built on.
CROSS := darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
DIST := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64

GOLANGCI_VERSION := v2.15.0
GOLANGCI := $(CACHE)/bin/golangci-lint-$(GOLANGCI_VERSION)$(EXE)

FUZZTIME ?= 10s
# A TypeScript repository to measure as well, and its tsconfig for timing tsc.
BENCH_REPO ?=
BENCH_CONFIG ?= tsconfig.json

# The compilers that the tests of the oracle run: TypeScript 7, and 5 and 6
# under the names ts50, ts54, ts59 and ts60.
export TCG_TEST_TYPESCRIPT := $(CACHE)/npm/typescript
export TCG_TEST_TYPESCRIPTS := $(CACHE)/npm/typescripts
# The suites of the Rust oracle, which is not released yet, by the names of their
# tests.
RUST_TESTS := Rust|Cargo|BorrowChecker|UsersBuild

# need PROGRAM,FIX fails with a recipe when a program is missing.
need = @command -v $(1) >/dev/null 2>&1 || { echo "$(1) is missing: $(2)" >&2; exit 1; }

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{printf "%-18s %s\n", $$1, $$2}'

# ---- build -----------------------------------------------------------------

.PHONY: build
build: $(APPS:%=bin/%$(EXE)) ## build the binaries into bin/

bin/%$(EXE): $(SOURCES)
	go build -trimpath -o $@ ./apps/$*

.PHONY: dist
dist: ## cross-compile the binaries for every supported system into dist/
	@set -e; for target in $(DIST); do \
		os=$${target%/*}; arch=$${target#*/}; ext=; [ $$os != windows ] || ext=.exe; \
		for app in $(APPS); do \
			echo "dist/$$os-$$arch/$$app$$ext"; \
			CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch go build -trimpath -ldflags='-s -w' -o dist/$$os-$$arch/$$app$$ext ./apps/$$app; \
		done; \
	done

# ---- show and measure ------------------------------------------------------

.PHONY: demo
demo: build ## a real MCP session about hypothetical code on a real project
	go run ./acceptance/cmd/demo

.PHONY: bench
bench: build tools-typescript tools-clients ## measure the chain, the transport and the promised times (BENCH_REPO=DIR adds a repository)
	go run ./acceptance/cmd/bench $(if $(BENCH_REPO),-repo $(BENCH_REPO) -config $(BENCH_CONFIG))

.PHONY: differential
differential: build ## compare with tsc on a real repository: REPO=DIR N=200 SEED=1 CONFIG=tsconfig.json WHOLE=1 TYPESCRIPT=DIR
	go run ./acceptance/cmd/differential -repo '$(REPO)' $(if $(N),-n $(N)) $(if $(SEED),-seed $(SEED)) \
		$(if $(CONFIG),-config $(CONFIG)) $(if $(WHOLE),-whole) $(if $(TYPESCRIPT),-typescript $(TYPESCRIPT))

# ---- checks, in the order of their cost ------------------------------------

.PHONY: test
test: fmt-check tidy-check vet build-each cross lint unit acceptance ## everything CI runs

.PHONY: fmt-check
fmt-check:
	@files=$$(gofmt -l $(MODULES)); [ -z "$$files" ] || { echo "not formatted, run gofmt -w on:"; echo "$$files"; exit 1; }

.PHONY: tidy-check
tidy-check:
	@set -e; for m in $(MODULES); do echo "go mod tidy -diff ($$m)"; (cd $$m && GOWORK=off go mod tidy -diff); done

.PHONY: vet
vet:
	go vet $(PACKAGES)

# Workspace mode compiles imports that no go.mod declares; this does not.
.PHONY: build-each
build-each:
	@set -e; for m in $(MODULES); do echo "GOWORK=off go build ($$m)"; (cd $$m && GOWORK=off go build ./...); done

.PHONY: cross
cross:
	@set -e; for target in $(CROSS); do \
		echo "go build, go vet ($$target)"; \
		GOOS=$${target%/*} GOARCH=$${target#*/} go build $(PACKAGES); \
		GOOS=$${target%/*} GOARCH=$${target#*/} go vet $(PACKAGES); \
	done

.PHONY: lint
lint: $(GOLANGCI) ## run the linters
	@failed=; for m in $(MODULES); do \
		echo "golangci-lint ($$m)"; \
		(cd $$m && $(GOLANGCI) run --config $(CURDIR)/.golangci.yml ./...) || failed="$$failed $$m"; \
	done; [ -z "$$failed" ] || { echo "golangci-lint found something in:$$failed" >&2; exit 1; }

.PHONY: unit
unit: tools-typescript tools-typescripts
	$(call need,gcc,the race detector needs a C compiler$(,) install gcc or clang)
	go test -race -count=1 -timeout 30m $$(go list $(filter-out ./acceptance/...,$(PACKAGES)) | grep -v /oracle/rust)

.PHONY: acceptance
acceptance: tools
	go test -count=1 -timeout 45m -skip '$(RUST_TESTS)' ./acceptance/...

.PHONY: test-rust
test-rust: export TCG_TEST_RUST_ANALYZER := $(CACHE)/rust-analyzer
test-rust: tools tools-rust-analyzer ## the suites of the Rust oracle, which is not released yet
	go test -race -count=1 -timeout 30m ./adapters/oracle/rust/...
	go test -count=1 -timeout 45m ./acceptance/...

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME (default 10s)
	@set -e; for file in $$(grep -rl --include='*_test.go' '^func Fuzz' $(MODULES)); do \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' $$file); do \
			echo "$$target ($$file)"; \
			go test -run='^$$' -fuzz="^$$target\$$" -fuzztime=$(FUZZTIME) ./$$(dirname $$file); \
		done; \
	done

.PHONY: golden
golden: tools ## rewrite the golden files; read the diff afterwards
	@set -e; for dir in $$(grep -rl --include='*_test.go' 'flag.Bool("update"' $(MODULES) | xargs -r -n1 dirname | sort -u); do \
		echo "go test ./$$dir -update"; go test -count=1 ./$$dir -update; \
	done

.PHONY: clean
clean: ## remove what the targets made
	rm -rf bin dist $(CACHE)

# ---- tools -----------------------------------------------------------------

.PHONY: tools
tools: tools-typescript tools-typescripts tools-clients tools-conformance ## install what the tests need into .cache/

.PHONY: tools-typescript tools-typescripts tools-clients tools-conformance
tools-typescript tools-typescripts tools-clients tools-conformance: tools-%: $(CACHE)/npm/%/.installed

# `npm install` with a lock file rather than `npm ci`: an optional Windows package
# of the inspector is in no lock file that was written on another system.
$(CACHE)/npm/%/.installed: acceptance/npm/%/package.json acceptance/npm/%/package-lock.json
	$(call need,node,install Node.js 20 or newer)
	$(call need,npm,install npm$(,) it comes with Node.js)
	@mkdir -p $(@D)
	cp $^ $(@D)/
	cd $(@D) && npm install --ignore-scripts --no-audit --no-fund --no-progress --loglevel=error
	@touch $@

# The script is quick when there is nothing to do.
.PHONY: tools-rust-analyzer
tools-rust-analyzer:
	$(call need,cargo,install Rust from rustup.rs)
	@sh scripts/install-rust-analyzer.sh $(CACHE)/rust-analyzer

$(GOLANGCI):
	@mkdir -p $(@D)
	GOBIN=$(@D) GOFLAGS= go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	@mv $(@D)/golangci-lint$(EXE) $@

# A comma for arguments of $(call).
, := ,
