//go:build unix

package fitting

import (
	"os"
	"path/filepath"
	"testing"
)

// The older tool has the parameters in the folder above: there is a link to the newest, and a file of somebody stays.
func TestLinkNewest(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "params")
	link := filepath.Join(filepath.Dir(folder), "here_params.yaml")
	write := func(name, text string) {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	check := func(want string) {
		t.Helper()
		if err := LinkNewest(folder, "here"); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(link); string(got) != want {
			t.Errorf("the link leads to %q, want %q", got, want)
		}
	}
	check("") // there are none
	write("here_params.yaml", "single")
	check("single")
	write("here/params_v1.yaml", "first")
	write("here/params_v2.yaml", "second")
	check("second")
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	write("../here_params.yaml", "own")
	check("own")
}
