package workspace

import "strings"

// standingGroup is the package group whose binaries are built on demand.
const standingGroup = "org.vibevm"

// StandingConsent reports whether packages of group may be built with no human
// present: the group org.vibevm and its dot-separated subgroups. Look-alikes
// such as "org.vibevmx" or "com.org.vibevm" are other groups (PROP-026 §5).
func StandingConsent(group string) bool {
	return group == standingGroup || strings.HasPrefix(group, standingGroup+".")
}
