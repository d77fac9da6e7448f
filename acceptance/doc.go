// Package acceptance judges the product from outside: its suites build the
// binaries, talk to them through pipes and files, and read the source tree.
// They import none of the modules they judge.
//
// `make acceptance` installs what the suites need and runs them.
package acceptance
