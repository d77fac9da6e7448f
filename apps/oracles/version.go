package oracles

// Version is the release all binaries report; CHANGELOG.md has a section for
// it.
const Version = "0.2.0"
