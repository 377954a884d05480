package setup

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/driver/setup/pip"
)

// The variable names the plugin for the CPU. Without it, the plugin is the installed one, if that is complete.
func TestFindPJRTCPU(t *testing.T) {
	own := filepath.Join(t.TempDir(), "own.so")
	if err := os.WriteFile(own, []byte("own"), 0o644); err != nil {
		t.Fatal(err)
	}
	if path, err := FindPJRTCPU(homeOf(t, PJRTCPUVariable, own)); err != nil || path != own {
		t.Errorf("found %q, error %v", path, err)
	}
	if _, err := FindPJRTCPU(homeOf(t, PJRTCPUVariable, own+"x")); err == nil ||
		!strings.Contains(err.Error(), "$ZONEMARK_PJRT_CPU: "+own+"x: there is no such file") {
		t.Errorf("error %v", err)
	}
	o := homeOf(t)
	c := pjrtCPUComponent()
	folder, err := c.Folder(o)
	if err != nil {
		t.Fatal(err)
	}
	var none *NotInstalledError
	if _, err := FindPJRTCPU(o); !errors.As(err, &none) || none.Component != "pjrt-cpu" {
		t.Errorf("error %v", err)
	}
	library := filepath.Join(folder, pjrtCPULibrary)
	m := Manifest{Name: c.Name, Version: c.Version, Artifacts: []Artifact{fourOf(pjrtCPULibrary)}}
	if err := errors.Join(os.MkdirAll(folder, 0o755), os.WriteFile(library, []byte("four"), 0o644),
		writeManifest(folder, m)); err != nil {
		t.Fatal(err)
	}
	if path, err := FindPJRTCPU(o); err != nil || path != library {
		t.Errorf("found %q, error %v", path, err)
	}
	if err := os.WriteFile(library, []byte("fous"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := FindPJRTCPU(o); !errors.As(err, &none) || !strings.Contains(err.Error(), "changed since it was installed") {
		t.Errorf("error %v", err)
	}
	if err := os.WriteFile(library, []byte("thr"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := FindPJRTCPU(o); !errors.As(err, &none) || !strings.Contains(err.Error(), "has 3 bytes, and had 4") {
		t.Errorf("error %v", err)
	}
}

// The requirements pin two wheels and nothing else.
func TestPJRTCPURequirements(t *testing.T) {
	all, err := pip.ParseRequirements(pjrtCPURequirements)
	if err != nil || len(all) != 1 || all[0].Name != pjrtCPUPackage || len(all[0].Hashes) != 2 ||
		!strings.Contains(all[0].Text, "=="+pjrtCPUVersion+" ") {
		t.Errorf("%+v, error %v", all, err)
	}
}

// Tenstorrent's plugin is found where its package installs it: in the named interpreter, or in the activated
// environment.
func TestFindPJRTTT(t *testing.T) {
	site := t.TempDir()
	answer, err := json.Marshal(
		map[string]any{"version": "3.11.7", "implementation": "cpython", "executable": "/python", "site": site},
	)
	if err != nil {
		t.Fatal(err)
	}
	interpreter := fakePython(t, string(answer))
	t.Setenv("PATH", "/usr/bin"+string(os.PathListSeparator)+"/bin") // the stand-in is a script
	named, activated := homeOf(t), homeOf(t, "VIRTUAL_ENV", filepath.Dir(filepath.Dir(interpreter)))
	named.Python = interpreter
	for _, o := range []Options{named, activated} {
		if path, err := FindPJRTTT(o); err == nil || !strings.Contains(err.Error(), "pjrt-plugin-tt") {
			t.Errorf("found %q, error %v", path, err)
		}
	}
	library := filepath.Join(site, pjrtTTFolder, pjrtTTLibrary)
	if err := errors.Join(os.Mkdir(filepath.Dir(library), 0o755),
		os.WriteFile(library, []byte("plugin"), 0o644)); err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{named, activated} {
		if path, err := FindPJRTTT(o); err != nil || path != library {
			t.Errorf("found %q, error %v", path, err)
		}
	}
	if path, err := FindPJRTTT(homeOf(t, PJRTTTVariable, library)); err != nil || path != library {
		t.Errorf("found %q, error %v", path, err)
	}
	if _, err := FindPJRTTT(homeOf(t, PJRTTTVariable, site)); err == nil ||
		!strings.Contains(err.Error(), "$ZONEMARK_PJRT_TT") {
		t.Errorf("error %v", err)
	}
}

// fourOf returns what a manifest says of a library that holds the text "four".
func fourOf(library string) Artifact {
	return Artifact{
		Name: library, Bytes: 4, SHA256: "04efaf080f5a3e74e1c29d1ca6a48569382cbbcd324e8d59d2b83ef21c039f00",
	}
}
