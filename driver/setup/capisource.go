package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"zonemark/driver/setup/command"
	"zonemark/invocations/files"
)

// The Rust crate that contains the source of flatcc and of IREE's C runtime, in the release that is pinned for Python.
const (
	capiCrate        = "eerie-sys"
	capiCrateVersion = "0.5.0"
	// hash of the .crate file, as in registries and in Cargo.lock
	capiCrateSHA256 = "fbe04c3979533cb301afce98bbdcc4395e9999d9e0e85c9f12e0d05bc1a3d968"
	capiCrateBytes  = 65_000_000 // unpacked, roughly
)

// capiProject is the Cargo project that depends on this crate only. Without its default features, the crate depends on
// no other.
const capiProject = `[package]
name = "iree-capi"
version = "0.0.0"
edition = "2021"
publish = false

[lib]
path = "lib.rs"

[dependencies]
` + capiCrate + ` = { version = "=` + capiCrateVersion + `", default-features = false }
`

// fetchCAPISource returns the folder with the crate's source. Cargo downloads it from the registry in the user's
// configuration and compares it with the checksum that the registry states. fetchCAPISource compares that checksum with
// the pinned one.
func fetchCAPISource(ctx context.Context, w *Work, t *buildTools, build string) (string, error) {
	source := filepath.Join(build, "source")
	if files.IsFolder(source) { // the folder gets this name when it is complete
		return source, nil
	}
	project := filepath.Join(build, "cargo")
	if err := errors.Join(removeAll(project), os.MkdirAll(project, 0o755)); err != nil {
		return "", err
	}
	if err := errors.Join(
		os.WriteFile(filepath.Join(project, "Cargo.toml"), []byte(capiProject), 0o644),
		os.WriteFile(filepath.Join(project, "lib.rs"), nil, 0o644)); err != nil {
		return "", err
	}
	w.Options.say("downloading the source")
	stop := w.watch("downloading", capiCrateBytes, project)
	err := w.run(ctx, command.Command{Path: t.cargo, Args: []string{"vendor", "vendor"}, Dir: project})
	stop()
	var failed *command.Error
	if errors.As(err, &failed) {
		return "", fmt.Errorf(
			"download the crate %s %s: %w\nwhen the registry cannot be reached, connect to the network or name a "+
				"mirror in cargo's configuration, and do this again; the Python packages (\"zonemark setup iree\") "+
				"do without it",
			capiCrate,
			capiCrateVersion,
			err,
		)
	}
	if err != nil {
		return "", err
	}
	vendored := filepath.Join(project, "vendor", capiCrate)
	if err := checkCrate(vendored, capiCrateSHA256); err != nil {
		return "", err
	}
	return source, os.Rename(vendored, source)
}

// checkCrate returns an error if a vendored crate does not have this checksum.
func checkCrate(folder, want string) error {
	path := filepath.Join(folder, ".cargo-checksum.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("cargo vendored no crate that has a checksum: %w", err)
	}
	var sums struct {
		Package string `json:"package"`
	}
	if err := json.Unmarshal(data, &sums); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if sums.Package != want {
		return fmt.Errorf(
			"%s: cargo brought a crate with the checksum %q, and %s is pinned: its registry, or a mirror in its "+
				"configuration, serves something else",
			filepath.Base(folder),
			sums.Package,
			want,
		)
	}
	return nil
}
