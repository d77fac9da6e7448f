// Package rsproject copies the sample Rust workspace, asks the real cargo about
// copies, and knows the environment that a Rust server needs.
package rsproject
