package setup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"zonemark/invocations/files"
)

// manifestName is the name of the file that marks a component as installed.
const manifestName = "installed.json"

// maxManifestBytes is far more than any of our manifests has. A larger file is not a manifest.
const maxManifestBytes = 1 << 20

// Manifest describes an installed component.
type Manifest struct {
	Name      string     `json:"name"`
	Version   string     `json:"version"`
	When      time.Time  `json:"when"`             // when the installation was complete
	Bytes     int64      `json:"bytes"`            // size on disk of the whole component
	Python    string     `json:"python,omitempty"` // version of the interpreter that it was installed for
	Artifacts []Artifact `json:"artifacts"`        // the files that were installed: wheels, a source package, a library
	IREE      *IREE      `json:"iree,omitempty"`   // the paths of an environment that holds IREE
	Models    *Models    `json:"models,omitempty"` // the same for an environment with the packages for models
	Halide    *Halide    `json:"halide,omitempty"` // the same for an environment with Halide
}

// Artifact is one file of a component.
type Artifact struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`          // hexadecimal
	Bytes  int64  `json:"bytes,omitempty"` // 0: not known
}

// packages returns the Python packages of the wheels that were installed, as "jax-0.6.2", in order.
func (m Manifest) packages() (list []string) {
	for _, a := range m.Artifacts {
		if parts := strings.SplitN(a.Name, "-", 3); len(parts) == 3 {
			list = append(list, parts[0]+"-"+parts[1])
		}
	}
	slices.Sort(list)
	return list
}

// parseManifest reads a manifest and checks that it belongs to this component.
func parseManifest(data []byte, name, version string) (Manifest, error) {
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return Manifest{}, err
	}
	if m.Name != name || m.Version != version {
		return Manifest{}, fmt.Errorf("it belongs to %q version %q, not to %s %s", m.Name, m.Version, name, version)
	}
	if m.Bytes < 0 {
		return Manifest{}, fmt.Errorf("its size is %d bytes", m.Bytes)
	}
	return m, nil
}

// readManifest returns the manifest in a component's folder. The error is fs.ErrNotExist if the component is not
// installed.
func readManifest(folder, name, version string) (Manifest, error) {
	path := filepath.Join(folder, manifestName)
	data, err := files.ReadStranger(path, maxManifestBytes)
	var m Manifest
	var unread *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Manifest{}, err
	case errors.As(err, &unread) && !errors.Is(err, fs.ErrInvalid):
		return Manifest{}, fmt.Errorf("read the cache: %w; set ZONEMARK_HOME to a folder that can be read and written", err)
	case err == nil:
		m, err = parseManifest(data, name, version)
	}
	if err != nil {
		return Manifest{}, fmt.Errorf("%s: not a manifest of zonemark's: %w; \"zonemark setup --remove %s\" removes it",
			path, err, name)
	}
	return m, nil
}

// writeManifest puts the manifest into the folder in one step, so that nobody ever sees a part of it.
func writeManifest(folder string, m Manifest) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return files.Write(filepath.Join(folder, manifestName), 0o644, append(data, '\n')) // other users may share the cache
}

// removeManifest removes the manifest, so that the component is no longer installed.
func removeManifest(folder string) error {
	if err := files.Remove(filepath.Join(folder, manifestName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// describeFile returns the name, hash and size of a file.
func describeFile(path string) (Artifact, error) {
	sum, bytes, err := files.SHA256(path)
	return Artifact{Name: filepath.Base(path), SHA256: sum, Bytes: bytes}, err
}
