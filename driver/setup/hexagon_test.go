package setup

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/driver/setup/pip"
)

// The tools for Hexagon are those that the variables name, else those on PATH, else what zonemark installed. Without
// them, errors say what to do.
func TestFindHexagon(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PATH", folder)
	var none *NotInstalledError
	if _, err := FindHexagonCompiler(homeOf(t)); !errors.As(err, &none) || none.Component != "halide-hexagon" {
		t.Errorf("compiler: error %v", err)
	}
	if _, err := FindHexagonEmulator(homeOf(t)); err == nil || !strings.Contains(err.Error(), "apt install qemu-user") {
		t.Errorf("emulator: error %v", err)
	}
	for _, c := range []struct {
		find           func(Options) (string, error)
		variable, name string
	}{
		{FindHexagonCompiler, HexagonCompilerVariable, "zig"},
		{FindHexagonEmulator, HexagonEmulatorVariable, "qemu-hexagon-static"},
		{FindHexagonEmulator, HexagonEmulatorVariable, "qemu-hexagon"},
	} {
		path, own := filepath.Join(folder, c.name), filepath.Join(t.TempDir(), "own")
		if err := errors.Join(os.WriteFile(path, nil, 0o755), os.WriteFile(own, nil, 0o755)); err != nil {
			t.Fatal(err)
		}
		if found, err := c.find(homeOf(t)); err != nil || found != path {
			t.Errorf("%s: found %q, error %v", c.name, found, err)
		}
		if found, err := c.find(homeOf(t, c.variable, own)); err != nil || found != own {
			t.Errorf("%s by its variable: found %q, error %v", c.name, found, err)
		}
		if _, err := c.find(homeOf(t, c.variable, own+"x")); err == nil || !strings.Contains(err.Error(), c.variable) {
			t.Errorf("%s by a wrong variable: error %v", c.name, err)
		}
	}
}

// The requirements pin one wheel and nothing else.
func TestHexagonRequirements(t *testing.T) {
	all, err := pip.ParseRequirements(hexagonRequirements)
	if err != nil || len(all) != 1 || all[0].Name != zigPackage || len(all[0].Hashes) != 1 ||
		!strings.Contains(all[0].Text, "=="+zigVersion+" ") {
		t.Errorf("%+v, error %v", all, err)
	}
}
