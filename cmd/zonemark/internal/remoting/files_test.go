package remoting

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestVariablesOfHosts checks that the variables of the user reach a host, with the places that brought files have
// there, and that what is not brought keeps its place.
func TestVariablesOfHosts(t *testing.T) {
	t.Parallel()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(home, "lib", "plugin.so")
	if err := os.Mkdir(filepath.Dir(library), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(library, []byte("plugin"), 0o644); err != nil {
		t.Fatal(err)
	}
	f := &Files{known: map[string]bool{}, hash: func(string) (string, error) { return "hash", nil }}
	if err := f.add(filepath.Dir(library)); err != nil {
		t.Fatal(err)
	}
	f.AddVariables([]string{"THREADS=4", "PLUGIN=" + library})
	other := filepath.Join(home, "other")
	f.AddVariables([]string{"PATHS=" + filepath.Dir(library) + string(filepath.ListSeparator) + other})
	p, err := f.placed("/there")
	if err != nil {
		t.Fatal(err)
	}
	defer p.cleanUp()
	there := "/there/" + placeOf(filepath.Dir(library))
	want := []string{"THREADS=4", "PLUGIN=" + there + "/plugin.so", "PATHS=" + there + ":" + other}
	if !slices.Equal(p.variables, want) {
		t.Errorf("variables of the host: %q, want %q", p.variables, want)
	}
}
