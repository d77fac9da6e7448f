package workspace

// ManifestName is the name of a project's or package's manifest.
const ManifestName = "vibe.toml"

// Manifest is a vibe.toml: of a project, of a package, or of a workspace,
// which may be either as well.
type Manifest struct {
	Project   *ProjectTable `toml:"project"`
	Package   *PackageTable `toml:"package"`
	Workspace *MembersTable `toml:"workspace"`
	Origin    *Origin       `toml:"origin"`

	Requires    Requires          `toml:"requires"`
	RequiresAny []RequiresAny     `toml:"requires_any"`
	Provides    Capabilities      `toml:"provides"`
	Obsoletes   Packages          `toml:"obsoletes"`
	Conflicts   Packages          `toml:"conflicts"`
	Recommends  Packages          `toml:"recommends"`
	Suggests    Packages          `toml:"suggests"`
	Targets     map[string]Target `toml:"target"`
	Features    Features          `toml:"features"`

	Binaries      []BinaryTable    `toml:"binary"`
	MCPServers    []MCPServerTable `toml:"mcp_server"`
	Skills        []SkillTable     `toml:"skill"`
	Hooks         Hooks            `toml:"hooks"`
	BootSnippet   *BootSnippet     `toml:"boot_snippet"`
	Compatibility Compatibility    `toml:"compatibility"`

	Active     *Active    `toml:"active"`
	LLM        *LLM       `toml:"llm"`
	Registries []Registry `toml:"registry"`
	Mirrors    []Mirror   `toml:"mirror"`
	Overrides  []Override `toml:"override"`
	I18n       I18n       `toml:"i18n"`
	Boot       Boot       `toml:"boot"`
}

// ProjectTable is [project]: a tree that uses packages.
type ProjectTable struct {
	Name       Text       `toml:"name,required"`
	Group      Group      `toml:"group"`
	Version    Text       `toml:"version,required"` // in any form
	SpecFormat SpecFormat `toml:"spec_format"`
	Authors    []string   `toml:"authors"`
}

// PackageTable is [package]: a tree that others use.
type PackageTable struct {
	Name            Name            `toml:"name,required"`
	Group           Group           `toml:"group,required"`
	Kind            Kind            `toml:"kind,required"`
	Version         Version         `toml:"version,required"`
	Epoch           int64           `toml:"epoch"`
	Frozen          bool            `toml:"frozen"`
	Authors         []string        `toml:"authors"`
	License         string          `toml:"license"`
	Description     string          `toml:"description"`
	Homepage        string          `toml:"homepage"`
	Keywords        []string        `toml:"keywords"`
	Describes       PURL            `toml:"describes"`
	Publish         Publish         `toml:"publish"`
	Materialization Materialization `toml:"materialization"`
	Bridge          bool            `toml:"bridge"`
	Format          PackageFormat   `toml:"format"`
}

// MembersTable is [workspace]: several trees under one lock.
type MembersTable struct {
	// Members are paths or globs relative to the manifest.
	Members  []string              `toml:"members"`
	Versions map[string]Constraint `toml:"versions"`
}

// Origin is [origin]: where a generated manifest comes from.
type Origin struct {
	Upstream    Text   `toml:"upstream,required"`
	Path        Text   `toml:"path,required"`
	Commit      string `toml:"commit"`
	GeneratedBy Text   `toml:"generated_by,required"`
	GeneratedAt Text   `toml:"generated_at,required"`
}

// Requires is [requires].
type Requires struct {
	Packages     map[PackageKey]Dependency `toml:"packages"`
	Capabilities []Capability              `toml:"capabilities"`
}

// RequiresAny is an entry of [[requires_any]].
type RequiresAny struct {
	OneOf []PackageRef `toml:"one_of,required"`
}

// Capabilities is [provides].
type Capabilities struct {
	Capabilities []Capability `toml:"capabilities"`
}

// Packages is a table that lists packages, such as [conflicts].
type Packages struct {
	Packages []PackageRef `toml:"packages"`
}

// Target is [target."CONDITION"].
type Target struct {
	Dependencies Requires `toml:"dependencies"`
}

// BinaryTable is an entry of [[binary]]: an executable that the package's
// sources make.
type BinaryTable struct {
	Name BinaryName `toml:"name,required"`
	// Crate is the directory of the sources inside the package.
	Crate       PackagePath `toml:"crate,required"`
	Description string      `toml:"description"`
}

// MCPServerTable is an entry of [[mcp_server]].
type MCPServerTable struct {
	Name        Text   `toml:"name,required"`
	Binary      string `toml:"binary,required"`
	Description string `toml:"description"`
	// Args may hold {project_root} and no other token.
	Args []string `toml:"args"`
}

// SkillTable is an entry of [[skill]].
type SkillTable struct {
	Name        Text        `toml:"name,required"`
	Path        PackagePath `toml:"path,required"`
	Description string      `toml:"description"`
	Agents      []string    `toml:"agents"`
	Include     []string    `toml:"include"`
}

// Hooks is [hooks].
type Hooks struct {
	PreInstall  PackagePath `toml:"pre-install"`
	PostInstall PackagePath `toml:"post-install"`
}

// BootSnippet is [boot_snippet].
type BootSnippet struct {
	Source   PackagePath  `toml:"source,required"`
	Category BootCategory `toml:"category"`
	Link     Link         `toml:"link"`
	When     When         `toml:"when"`
}

// Compatibility is [compatibility].
type Compatibility struct {
	MinVibeVersion string `toml:"min_vibe_version"`
	RequiresKinds  []Kind `toml:"requires_kinds"`
}

// Active is [active].
type Active struct {
	Stack string `toml:"stack"`
}

// LLM is [llm].
type LLM struct {
	DefaultProvider Text   `toml:"default_provider,required"`
	DefaultModel    Text   `toml:"default_model,required"`
	APIKeyEnv       string `toml:"api_key_env"`
}

// Registry is an entry of [[registry]].
type Registry struct {
	Name     Text   `toml:"name,required"`
	URL      Text   `toml:"url,required"`
	Ref      string `toml:"ref"` // empty is main
	Naming   Naming `toml:"naming"`
	Auth     Auth   `toml:"auth"`
	TokenEnv string `toml:"token_env"`
	Enabled  *bool  `toml:"enabled"` // nil is true
	IndexURL string `toml:"index_url"`
}

// Mirror is an entry of [[mirror]].
type Mirror struct {
	Of       Text  `toml:"of,required"`
	URL      Text  `toml:"url,required"`
	Priority int64 `toml:"priority"`
}

// Override is an entry of [[override]].
type Override struct {
	Package   PackageRef `toml:"pkgref,required"`
	SourceURL Text       `toml:"source_url,required"`
	Ref       string     `toml:"ref"`
	Reason    string     `toml:"reason"`
}

// I18n is [i18n].
type I18n struct {
	Canonical string   `toml:"canonical"`
	Available []string `toml:"available"`
	Fallback  []string `toml:"fallback"`
	Preferred string   `toml:"preferred"`
}

// Boot is [boot].
type Boot struct {
	DefaultLink Link `toml:"default_link"`
}

// ParseManifest reads the text of a vibe.toml; path is named in errors. A key
// that the format does not have is refused, and so is what breaks its rules.
// The error is an *Error with CodeManifestInvalid and the line.
func ParseManifest(path, text string) (*Manifest, error) {
	tree, err := parseTOML(path, text, CodeManifestInvalid, correct)
	if err != nil {
		return nil, err
	}
	m := new(Manifest)
	d := new(decoder)
	d.value(valueOf(m), tree)
	d.problems = append(d.problems, d.unknown...)
	if len(d.problems) == 0 {
		d.checkRules(m, tree)
	}
	if len(d.problems) > 0 {
		return nil, d.failure(path, CodeManifestInvalid, correct)
	}
	return m, nil
}

// correct is the fix for a manifest, whose message says what belongs there.
const correct = "correct that line of the file"
