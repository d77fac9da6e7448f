// Package tomltree reads a TOML 1.1 document into a tree that remembers the
// line of every key, so that what is wrong with a value can be said with its
// file and line, also inside arrays of tables.
//
// It only reads. Strings of the tree are parts of the text where no escape
// stood in between, which makes a lock file of hundreds of packages a matter
// of few milliseconds.
package tomltree
