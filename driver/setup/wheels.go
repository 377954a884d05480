package setup

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/driver/setup/command"
	"zonemark/driver/setup/pip"
	"zonemark/driver/setup/python"
)

// wheels are pinned Python packages that go into a private environment.
type wheels struct {
	names         string // of the packages that matter, with their versions, for people
	requirements  string // in pip's format, with hashes
	downloadBytes int64  // roughly
	diskBytes     int64  // size of the environment, roughly
	// yourself says how to do without this installation.
	yourself string
}

// The folders of an installation in progress, below the component's folder.
const (
	environmentFolder = "venv"
	downloadsFolder   = "downloads"
	partialFolder     = "partial" // pip's temporary files, below downloads
)

// plan says what will be installed, and sizes, for people.
func (s wheels) plan() string {
	return fmt.Sprintf("installing %s (about %d MB to download, %d MB on disk)",
		s.names, s.downloadBytes/1_000_000, s.diskBytes/1_000_000)
}

// installFile installs the packages into an environment of which it keeps only what keep takes out: a file, which needs
// no Python, and what belongs to it. The file is inside the folder site-packages, and the manifest has it by a name.
func (s wheels) installFile(ctx context.Context, w *Work, inside, name string, keep func(found string) error) (Manifest, error) {
	base, err := w.Options.baseFor(python.Newest)
	if err != nil {
		return Manifest{}, err
	}
	artifacts, err := s.install(ctx, w, base)
	if err != nil {
		return Manifest{}, err
	}
	venv := filepath.Join(w.Folder, environmentFolder)
	found, err := filepath.Glob(filepath.Join(venv, "lib", "python*", "site-packages", inside))
	if err != nil || len(found) != 1 {
		return Manifest{}, errors.Join(fmt.Errorf("%s is not in %s, though pip installed it: %d places",
			filepath.Base(inside), venv, len(found)), err)
	}
	file, err := describeFile(found[0])
	if err != nil {
		return Manifest{}, err
	}
	file.Name = name
	if err := keep(found[0]); err != nil {
		return Manifest{}, err
	}
	return Manifest{Artifacts: append(artifacts, file)}, removeAll(venv)
}

// install makes a virtual environment with the packages and returns what was installed. Wheels that were downloaded
// before an interruption are used again if their hashes are right. An incomplete environment is made anew.
func (s wheels) install(ctx context.Context, w *Work, base python.Interpreter) (artifacts []Artifact, err error) {
	requirements, err := pip.ParseRequirements(s.requirements)
	if err != nil {
		return nil, fmt.Errorf("the requirements: %w", err)
	}
	venv, downloads := filepath.Join(w.Folder, environmentFolder), filepath.Join(w.Folder, downloadsFolder)
	partial := filepath.Join(downloads, partialFolder)
	defer func() {
		if err != nil {
			// Complete wheels are kept for the next attempt, and an incomplete environment is removed.
			err = errors.Join(err, removeAll(venv), removeAll(partial))
			_ = os.Remove(downloads) // succeeds only if the folder is empty
		}
	}()
	if err := errors.Join(removeAll(venv), removeAll(partial), os.MkdirAll(partial, 0o755)); err != nil {
		return nil, err
	}
	if err := dropStrangers(downloads, requirements); err != nil {
		return nil, err
	}
	w.Options.say("making a Python %s environment in %s", base.Version, venv)
	if err := python.MakeEnvironment(ctx, base, venv, w.Options.Variables, w.lock.held()); err != nil {
		return nil, err
	}
	p := pip.Pip{
		Interpreter: python.Of(venv), Downloads: downloads, Temporary: partial, Variables: w.Options.Variables, Held: w.lock.held(),
	}

	for _, r := range requirements {
		if err := s.download(ctx, w, p, r); err != nil {
			return nil, err
		}
	}

	w.Options.say("unpacking the packages")
	stop := w.watch("unpacking", s.diskBytes, venv)
	err = p.Install(ctx, s.requirements)
	stop()
	if err != nil {
		return nil, fmt.Errorf("unpack the packages: %w", err)
	}
	if artifacts, err = wheelsIn(downloads); err != nil {
		return nil, err
	}
	return artifacts, removeAll(downloads)
}

// download makes sure that the wheel of one package that fits the environment is in the downloads folder.
func (s wheels) download(ctx context.Context, w *Work, p pip.Pip, r pip.Requirement) error {
	have, err := wheelsIn(p.Downloads)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(have, func(a Artifact) bool { return r.Hashes[a.SHA256] }) {
		// A wheel in the folder may be for another Python than this environment's. Pip can tell.
		err := p.Download(ctx, r, "--no-index")
		var failed *command.Error
		if !errors.As(err, &failed) {
			return err
		}
	}
	w.Options.say("downloading %s", r.Name)
	stop := w.watch("downloading", s.downloadBytes, p.Downloads)
	err = p.Download(ctx, r)
	stop()
	return s.explain(r, err)
}

// explain returns an error that tells why a download failed and what to do.
func (s wheels) explain(r pip.Requirement, err error) error {
	var failed *command.Error
	switch {
	case !errors.As(err, &failed):
		return err
	case failed.Says("DO NOT MATCH THE HASHES"):
		return fmt.Errorf(
			"download %s: what came is not the file that was pinned, so it was not installed: the package index or a "+
				"proxy before it serves something else; %s: %w",
			r.Name,
			s.yourself,
			err,
		)
	case failed.Says("No space left"):
		return fmt.Errorf(
			"download %s: the disk is full; free some room, or set ZONEMARK_HOME to a folder on another disk: %w",
			r.Name,
			err,
		)
	case failed.Says("Retrying", "Max retries", "Failed to establish", "name resolution", "getaddrinfo",
		"Network is unreachable", "timed out", "Connection refused"):
		return fmt.Errorf(
			"download %s: the package index cannot be reached, so nothing was installed; connect to the network, or "+
				"name an index or a folder of wheels to pip (PIP_INDEX_URL, PIP_FIND_LINKS), and do this again; %s: %w",
			r.Name,
			s.yourself,
			err,
		)
	case failed.Says("No matching distribution", "Could not find a version"):
		return fmt.Errorf(
			"download %s: the package index that pip is configured for has no wheel of it for this Python and "+
				"machine, or cannot be reached; name another Python with --python, or see to pip's configuration; "+
				"%s: %w",
			r.Name,
			s.yourself,
			err,
		)
	}
	return fmt.Errorf("download %s: %w", r.Name, err)
}

// wheelsIn returns the files in a folder of downloads.
func wheelsIn(folder string) ([]Artifact, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var found []Artifact
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".whl") {
			continue
		}
		a, err := describeFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		found = append(found, a)
	}
	return found, nil
}

// dropStrangers removes files from a folder of downloads that are not pinned files, such as incomplete ones.
func dropStrangers(folder string, requirements []pip.Requirement) error {
	pinned := map[string]bool{}
	for _, r := range requirements {
		maps.Copy(pinned, r.Hashes)
	}
	have, err := wheelsIn(folder)
	if err != nil {
		return err
	}
	for _, a := range have {
		if !pinned[a.SHA256] {
			if err := os.Remove(filepath.Join(folder, a.Name)); err != nil {
				return err
			}
		}
	}
	return nil
}
