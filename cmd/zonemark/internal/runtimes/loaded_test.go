package runtimes

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"zonemark/executor/hat"
	"zonemark/invocations"
)

// TestLoaded asks for the files of packages: what was built takes the place of an artifact, and libraries of packages
// belong to them.
func TestLoaded(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	text, err := os.ReadFile(filepath.Join("..", "e2e", "testdata", "prefix", "p.hat"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at("k.hat"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		runtime  string
		artifact invocations.Artifact
		of       invocations.Artifact
		want     []string
	}{
		{hat.Name, invocations.Artifact{Path: at("k.hat")}, invocations.Artifact{}, []string{at("k.hat"), at("p.c")}},
		{hat.Name, invocations.Artifact{Path: at("k.hat"), Built: at("b.so")}, invocations.Artifact{}, []string{at("b.so")}},
		{hat.Name, invocations.Artifact{Path: at("none.hat")}, invocations.Artifact{Path: at("k.hat")},
			[]string{at("none.hat"), at("k.hat"), at("p.c")}},
		{"unknown", invocations.Artifact{Path: at("k")}, invocations.Artifact{}, []string{at("k")}},
		{hat.Name, invocations.Artifact{}, invocations.Artifact{}, nil},
	} {
		inv := &invocations.Invocation{Runtime: c.runtime, Artifact: c.artifact}
		inv.Verify.Of = c.of
		if got := All().Loaded(inv); !slices.Equal(got, c.want) {
			t.Errorf("%s %+v: %q, want %q", c.runtime, c.artifact, got, c.want)
		}
	}
}
