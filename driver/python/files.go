// Package python carries the Python package zonemark, so that the binary can export models without an installation of
// it.
package python

import (
	"embed"
	"io/fs"
)

//go:embed zonemark/*.py zonemark/halide/*.py zonemark/models/*.py zonemark/models/*/*.py
var files embed.FS

// Files returns the sources of the package zonemark, below a folder of that name.
func Files() fs.FS { return files }
