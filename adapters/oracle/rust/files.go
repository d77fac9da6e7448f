package rust

// Extensions are the file name endings of Rust sources.
func Extensions() []string { return []string{".rs"} }

// ProjectFiles are the names of files that decide how a project is read.
func ProjectFiles() []string {
	return []string{"Cargo.toml", "Cargo.lock", "rust-toolchain.toml", "rust-toolchain", "config.toml"}
}
