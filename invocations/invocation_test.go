package invocations

import (
	"math"
	"path/filepath"
	"testing"
	"time"
)

// A reference FILE:NAME is relative to the artifact's folder, even if the artifact was built elsewhere.
func TestReferenceFile(t *testing.T) {
	for reference, want := range map[string]struct {
		file, name string
		ok         bool
	}{
		"":              {},
		"f":             {},
		":f":            {},
		"other.so:f":    {filepath.FromSlash("/kernels/other.so"), "f", true},
		"a:b/o.so:f":    {filepath.FromSlash("/kernels/a:b/o.so"), "f", true},
		"../other.so:f": {filepath.FromSlash("/other.so"), "f", true},
	} {
		v := Invocation{Artifact: Artifact{Path: filepath.FromSlash("/kernels/k.py"), Built: "/cache/k.so"}}
		v.Verify.Reference = reference
		if file, name, ok := v.ReferenceFile(); file != want.file || name != want.name || ok != want.ok {
			t.Errorf("%q: %q, %q, %t", reference, file, name, ok)
		}
	}
}

func TestMaxTime(t *testing.T) {
	for ns, want := range map[int64]time.Duration{0: math.MaxInt64, 1: 1, 5e9: 5 * time.Second} {
		if got := (&Measure{MaxTimeNS: ns}).MaxTime(); got != want {
			t.Errorf("%d: %v, want %v", ns, got, want)
		}
	}
}
