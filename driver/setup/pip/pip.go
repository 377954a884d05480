// Package pip has pip download and install pinned packages, and checks what it has installed. It knows no package.
package pip

import (
	"context"
	"os"
	"path/filepath"

	"zonemark/driver/setup/command"
	"zonemark/driver/setup/python"
	"zonemark/invocations/environ"
)

// Pip is the package installer of a virtual environment. Its index is the one that the user's configuration names.
type Pip struct {
	Interpreter string
	Downloads   string // folder of wheels
	Temporary   string // folder for its temporary files, on the same disk
	Variables   environ.Variables
	Held        *os.File // see command.Command
}

func (p Pip) run(ctx context.Context, requirements string, args ...string) error {
	file := filepath.Join(p.Temporary, "requirements.txt")
	if err := os.WriteFile(file, []byte(requirements), 0o644); err != nil {
		return err
	}
	env := python.Clean()
	env["TMPDIR"], env["TEMP"], env["TMP"] = p.Temporary, p.Temporary, p.Temporary
	args = append([]string{"-I", "-m", "pip"}, args...)
	if p.Variables.Lookup("PIP_RETRIES") == "" {
		// Pip's default of five retries takes ten seconds if there is no network at all. Files that are complete are
		// kept for the next attempt.
		args = append(args, "--retries=2")
	}
	args = append(
		args,
		"--no-input",
		"--disable-pip-version-check",
		"--progress-bar=off",
		"--no-deps",
		"--require-hashes",
		"--only-binary=:all:",
		"-r",
		file,
	)
	return command.Command{Path: p.Interpreter, Args: args, Base: p.Variables, Env: env, Held: p.Held}.Run(ctx)
}

// Download brings the wheel of a package that fits the environment into Downloads. Flags are those of pip download.
func (p Pip) Download(ctx context.Context, r Requirement, flags ...string) error {
	return p.run(
		ctx,
		r.Text,
		append([]string{"download", "--find-links", p.Downloads, "--dest", p.Downloads}, flags...)...)
}

// Install unpacks the packages of a requirements file from Downloads.
func (p Pip) Install(ctx context.Context, requirements string) error {
	return p.run(ctx, requirements, "install", "--no-index", "--find-links", p.Downloads, "--no-warn-script-location")
}
