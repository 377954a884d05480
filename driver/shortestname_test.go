package driver

import "testing"

// TestShortestName: names of artifacts are as short as they can be told apart.
func TestShortestName(t *testing.T) {
	paths := map[string]bool{"/w/a/x.hat": true, "/w/b/x.hat": true, "/w/b/m.mlir": true, "/w/b/m.vmfb": true,
		"/w/b/y.hat": true}
	for path, want := range map[string]string{
		"/w/a/x.hat": "a/x", "/w/b/x.hat": "b/x", "/w/b/y.hat": "y", "/w/b/m.mlir": "m.mlir", "/w/b/m.vmfb": "m.vmfb",
	} {
		if got := shortestName(path, paths); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
