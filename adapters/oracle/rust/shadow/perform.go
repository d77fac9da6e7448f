package shadow

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"vibevm.org/tcgfamily/oracleproto"
)

// kept is what a Checker keeps between runs. Only the run in progress uses
// it.
type kept struct {
	projects map[string]known   // by manifest
	shadows  map[string]*shadow // by workspace root and top
}

// mostAttempts bounds how often a run is repeated because files changed under
// the compiler.
const mostAttempts = 3

// perform answers a request.
func (c *Checker) perform(ctx context.Context, request Request, r *run) (result Result, err error) {
	r.enter(func() string { return "cargo is describing the project" })
	p, err := c.projectOf(ctx, request)
	if err != nil {
		return Result{}, err
	}
	s, err := c.shadowOf(&p)
	if err != nil {
		return Result{}, err
	}
	if err := s.begin(); err != nil {
		return Result{}, unavailable(err)
	}
	defer func() {
		if e := s.end(); err == nil && e != nil {
			result, err = Result{}, unavailable(e)
		}
	}()
	if err := s.limit(c.options.MaxBytes); err != nil {
		return Result{}, unavailable(err)
	}
	r.enter(func() string { return "the shadow is being brought up to date" })
	pkg := p.owner(request.File)
	in, err := s.sync(&p, pkg, request)
	if err != nil {
		return Result{}, unavailable(err)
	}
	if hasManifest(request.Overlays) {
		// Only in the shadow cargo sees these manifests.
		if p, err = c.projectInShadow(ctx, s, p, request); err != nil {
			return Result{}, s.inUsersPaths(err)
		}
		pkg = p.owner(request.File)
		if in, err = s.sync(&p, pkg, request); err != nil {
			return Result{}, unavailable(err)
		}
	}
	if pkg == nil {
		return Result{}, notInWorkspace(request, &p)
	}
	if result, ok := c.remembered(r.key, in); ok {
		return result, nil
	}
	if c.options.NoBuildScripts {
		if err := c.refuseCode(ctx, s, &p, pkg, request); err != nil {
			return Result{}, s.inUsersPaths(err)
		}
	}
	for attempt := 1; ; attempt++ {
		result, err := c.run(ctx, s, &p, pkg, request, r)
		if err != nil {
			return Result{}, s.inUsersPaths(err)
		}
		now, err := s.sync(&p, pkg, request)
		if err != nil {
			return Result{}, unavailable(err)
		}
		switch {
		case in.equal(now):
			c.remember(r.key, now, result)
			return result, nil
		case in.partial:
			return result, nil
		case attempt == mostAttempts:
			// Part of what was compiled is gone: no verdict on what is there.
			result.Reached = false
			result.Advice = append(result.Advice, "files of the project kept changing while cargo check ran; ask again")
			return result, nil
		}
		in = now
	}
}

// projectOf describes the project of a file as it is on disk.
func (c *Checker) projectOf(ctx context.Context, request Request) (project, error) {
	manifest, err := manifestOf(request.File, request.Overlays)
	if err != nil {
		return project{}, err
	}
	if !hasManifest(request.Overlays) {
		return c.locate(ctx, manifest)
	}
	onDisk, err := manifestOf(request.File, nil)
	if err == nil {
		p, err := c.locate(ctx, onDisk)
		if err == nil || ctx.Err() != nil {
			return p, err
		}
	}
	// The disk has no project, or a broken one that the texts may mend.
	p := project{root: guessRoot(manifest, request.Overlays)}
	p.packages = []cargoPackage{{dir: filepath.Dir(manifest)}}
	p.top = p.mirrored(c.options.Root)
	return p, nil
}

// projectInShadow describes the project as the texts have it.
func (c *Checker) projectInShadow(ctx context.Context, s *shadow, onDisk project, request Request) (project, error) {
	manifest, err := manifestOf(request.File, request.Overlays)
	if err != nil {
		return project{}, err
	}
	p, err := c.describe(ctx, s.tree.mirror(manifest), s.tree.real)
	if err != nil {
		return project{}, err
	}
	for _, pkg := range onDisk.packages {
		if p.packageIn(pkg.dir) == nil && pkg.name != "" {
			p.packages = append(p.packages, pkg)
		}
	}
	p.top = onDisk.top
	p.version, p.toolchain = onDisk.version, onDisk.toolchain
	if p.version == "" {
		p.version = c.rustcVersion(ctx, s.tree.mirror(p.root))
	}
	return p, nil
}

// shadowOf is the shadow of a project.
func (c *Checker) shadowOf(p *project) (*shadow, error) {
	name := p.root + "\x00" + p.top
	if s := c.shadows[name]; s != nil {
		if s.held() {
			return s, nil
		}
		_ = s.lock.Close()
		delete(c.shadows, name)
	}
	s, err := c.open(p.root, p.top)
	if err != nil {
		return nil, err
	}
	if c.shadows == nil {
		c.shadows = map[string]*shadow{}
	}
	c.shadows[name] = s
	return s, nil
}

// release gives the shadows back for other processes.
func (c *Checker) release() error {
	var failed []error
	for name, s := range c.shadows {
		failed = append(failed, s.lock.Close())
		delete(c.shadows, name)
	}
	return errors.Join(failed...)
}

// sync brings the tree up to date for a request and returns the states of the
// files on disk that its answer depends on.
func (s *shadow) sync(p *project, pkg *cargoPackage, request Request) (inputs, error) {
	rel := func(path string) string {
		r, _ := s.tree.under(path)
		return r
	}
	plan := plan{
		texts:    map[string]string{},
		real:     []string{rel(p.root)},
		writable: map[string]bool{},
		lock:     filepath.Join(rel(p.root), "Cargo.lock"),
		packages: s.state.WatchedDirs,
		watched:  s.state.Watched,
	}
	for path, text := range request.Overlays {
		if r, ok := s.tree.under(path); ok && r != "." {
			plan.texts[r] = text
		}
	}
	if pkg != nil {
		for _, needed := range p.closure(pkg) {
			r, ok := s.tree.under(needed.dir)
			if !ok {
				continue
			}
			plan.packages = append(plan.packages, r)
			for _, t := range needed.targets {
				if t.is("custom-build") {
					plan.writable[r] = true
				}
			}
		}
	}
	in, err := s.tree.sync(plan)
	for path, d := range manifestsOf(filepath.Join(p.root, "Cargo.toml"), *p).files {
		in.files[path] = d
	}
	return in, err
}

// inUsersPaths replaces paths of the shadow in an error that cargo wrote.
func (s *shadow) inUsersPaths(err error) error {
	if e := (*oracleproto.Error)(nil); errors.As(err, &e) {
		replace := strings.NewReplacer(s.tree.dir, s.tree.top)
		return &oracleproto.Error{Kind: e.Kind, Detail: replace.Replace(e.Detail), Recipe: replace.Replace(e.Recipe)}
	}
	return err
}

func notInWorkspace(request Request, p *project) error {
	manifest, _ := manifestOf(request.File, request.Overlays)
	return &oracleproto.Error{
		Kind:   oracleproto.KindManifestBroken,
		Detail: fmt.Sprintf("cargo knows no package of %s in the workspace %s", manifest, p.root),
		Recipe: "add the package to `members` of " + filepath.Join(p.root, "Cargo.toml"),
	}
}
