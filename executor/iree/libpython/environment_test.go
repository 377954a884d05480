package libpython

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestParseVersion(t *testing.T) {
	for s, want := range map[string]Version{
		"3.11.7 (main, May  9 2026, 07:35:22) [GCC 12.2.0]":                            {3, 11, false},
		"3.13.0 experimental free-threading build (main, Nov 20 2026) [Clang 18.1.8 ]": {3, 13, true},
		"3.12.1.final.0": {3, 12, false},
		"3.14":           {3, 14, false},
	} {
		if got, err := parseVersion(s); err != nil || got != want {
			t.Errorf("%q: %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "3", "three", "3.", "99999999999999999999.1", "3.x"} {
		if v, err := parseVersion(s); err == nil {
			t.Errorf("%q is version %v", s, v)
		}
	}
}

func TestCheckEnvironment(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("where a standard library lies is known for Linux only")
	}
	v := Version{3, 11, false}
	// environment makes a virtual environment with this pyvenv.cfg. HOME in it stands for an installation.
	environment := func(configuration string, installed bool) string {
		dir := t.TempDir()
		home := filepath.Join(dir, "python")
		folders := []string{filepath.Join(dir, "venv", "bin"), filepath.Join(home, "bin")}
		if installed {
			folders = append(folders, filepath.Join(home, "lib", "python3.11", "encodings"))
		}
		for _, f := range folders {
			if err := os.MkdirAll(f, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		for path, content := range map[string]string{
			filepath.Join(dir, "venv", "bin", "python"): "",
			filepath.Join(dir, "venv", "pyvenv.cfg"): strings.ReplaceAll(configuration, "HOME",
				filepath.Join(home, "bin")),
			filepath.Join(home, "bin", "python"): "",
		} {
			if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		return filepath.Join(dir, "venv", "bin", "python")
	}
	good := environment("home = HOME\nversion = 3.11.7\n", true)
	for _, c := range []struct{ name, executable, want string }{
		{"good", good, ""},
		{"virtualenv", environment("home=HOME\nimplementation=CPython\nversion_info=3.11.7.final.0\n", true), ""},
		{"installation", filepath.Join(filepath.Dir(filepath.Dir(filepath.Dir(good))), "python", "bin", "python"), ""},
		{"other version", environment("home = HOME\nversion = 3.10.13\n", true), "is one of Python 3.10"},
		{"no home", environment("version = 3.11.7\n", true), "make the environment again"},
		{"no version to read", environment("home = HOME\nversion = new\n", true), "line 2"},
		{"gone", environment("home = HOME\nversion = 3.11.7\n", false), "still installed?"},
		{"relative", "venv/bin/python", "absolute path"},
		{"no interpreter", filepath.Join(t.TempDir(), "python"), "no such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := checkEnvironment(c.executable, v)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func FuzzParseConfiguration(f *testing.F) {
	f.Add("home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.7\nexecutable = /usr/bin/python3.11\n")
	f.Add("home=/opt\r\nversion_info = 3.12.1.final.0\r\n")
	f.Add("HOME = x\nversion = \n")
	f.Add("no equals sign\n===\n")
	f.Fuzz(func(t *testing.T, content string) {
		c, err := parseConfiguration(content)
		if err == nil && (c.home == "" || !strings.Contains(content, c.home)) {
			t.Errorf("%q is at home in %q", content, c.home)
		}
		if v := c.version; err == nil && (v.Major < 0 || v.Minor < 0 || v.Minor > 999) {
			t.Errorf("%q has version %v", content, v)
		}
	})
}
