//go:build !linux

package disk

// events are not used here: all stamps are compared on every look.
type events struct{}

func newEvents() *events { return nil }

func (*events) watch(string, stamp, bool) watching { return unheard }

func (*events) forget(string) {}

func (*events) drain() (map[string]bool, bool) { return nil, false }

func (*events) close() {}
