// Package relay is the oracle process between a server and a compiler: it
// speaks the oracle protocol on one side and drives a Backend on the other.
//
// A relay owns what is the same for every language: the wire, standing and
// one-call overlays, the confinement of paths to the root, the clamping of
// positions, and noticing that the disk changed. docs/oracle-protocol.md
// describes what it answers.
package relay
