package setup

import (
	"fmt"
	"os/exec"
	"path/filepath"

	"zonemark/driver/setup/python"
	"zonemark/invocations/files"
)

// Tenstorrent's Python package pjrt-plugin-tt and its library in it.
const (
	pjrtTTFolder  = "pjrt_plugin_tt"
	pjrtTTLibrary = "pjrt_plugin_tt.so"
)

// FindPJRTTT returns the path of Tenstorrent's PJRT plugin: $ZONEMARK_PJRT_TT, or where its Python package
// pjrt-plugin-tt installs it, in o.Python, in $VIRTUAL_ENV or in the Python on PATH, in this order. It is on no public
// index, so that zonemark cannot install it; the error says what to do.
func FindPJRTTT(o Options) (string, error) {
	if path, err := o.named(PJRTTTVariable); path != "" || err != nil {
		return path, err
	}
	for _, interpreter := range o.pythons() {
		p, err := python.Probe(interpreter)
		if err != nil {
			continue // it may be there for other things
		}
		for _, site := range []string{p.Site, filepath.Join(p.BasePrefix, "lib", "python3", "dist-packages")} {
			if path := filepath.Join(site, pjrtTTFolder, pjrtTTLibrary); files.IsFile(path) {
				return path, nil
			}
		}
	}
	return "", fmt.Errorf("the PJRT plugin of Tenstorrent is not there (%s in the site-packages folder of a Python): install "+
		"Tenstorrent's package pjrt-plugin-tt and activate that environment, or name the library by --plugin or $%s",
		filepath.Join(pjrtTTFolder, pjrtTTLibrary), PJRTTTVariable)
}

// pythons returns the interpreters in whose environments a package may be, the user's choice first.
func (o Options) pythons() (list []string) {
	if o.Python != "" {
		if path, err := python.In(o.Python); err == nil {
			list = append(list, path)
		}
	}
	if folder := o.getenv("VIRTUAL_ENV"); folder != "" && files.IsFile(python.Of(folder)) {
		list = append(list, python.Of(folder))
	}
	if path, err := exec.LookPath("python3"); err == nil {
		list = append(list, path)
	}
	return list
}
