// Package projecthost is the TcgHost of every server here: the project a person
// named, under the workspace's standing consent rule.
package projecthost

import (
	"vibevm.org/tcgfamily"
	"vibevm.org/workspace"
)

// Host serves one project root.
type Host struct {
	root string
}

var _ tcgfamily.TcgHost = Host{}

// New makes the host of an absolute root, which need not exist.
func New(root string) Host { return Host{root} }

// ProjectRoot is the root as it was given.
func (h Host) ProjectRoot() string { return h.root }

// MayBuild follows the standing consent rule; nobody is asked.
func (Host) MayBuild(group string) bool { return workspace.StandingConsent(group) }
