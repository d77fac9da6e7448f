package native

import (
	"maps"
	"slices"

	"vibevm.org/adapters/oracle"
)

var _ oracle.Reader = (*Backend)(nil)

// Reads implements oracle.Reader. The compiler does not tell which files it
// read; its configurations tell where they may be.
func (b *Backend) Reads() []string {
	b.mu.Lock()
	p := b.running
	b.mu.Unlock()
	if p == nil {
		return nil
	}
	return p.projects.reads()
}

// reads lists the configurations that cover asked documents, those they extend
// and refer to, and the directories that these take sources from.
func (ps *projects) reads() []string {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	all := map[string]bool{}
	seen := map[string]bool{}
	var add func(path string, c *tsconfig)
	add = func(path string, c *tsconfig) {
		if seen[path] {
			return
		}
		seen[path] = true
		for _, name := range slices.Concat(c.read, c.listed, c.sources, c.elsewhere) {
			all[name] = true
		}
		for _, name := range c.references {
			if ps.referred[name] == nil {
				ps.referred[name] = readTsconfig(name, ps.readFile)
			}
			add(name, ps.referred[name])
		}
	}
	for path, c := range ps.configs {
		if c.tsconfig != nil {
			add(path, c.tsconfig)
		}
	}
	return slices.Sorted(maps.Keys(all))
}
