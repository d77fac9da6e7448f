// Package slotbinary brings the executables of a vibe project's installed
// packages to those who run them: Binaries is the OracleBinaries of the
// product's server, Builder builds a binary in its slot, for the server and
// for the command line alike. What is installed where is workspace's to say.
package slotbinary
