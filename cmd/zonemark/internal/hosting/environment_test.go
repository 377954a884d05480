package hosting

import (
	"slices"
	"testing"

	"zonemark/invocations/environ"
)

// Executors that run native code get variables of runtimes, and those that are asked for.
func TestVariablesOfNativeCode(t *testing.T) {
	needed := []string{
		"PATH=/bin", "HOME=/home/me", "LC_ALL=C", "LD_PRELOAD=/lib/x.so", "OMP_NUM_THREADS=2", "IREE_LOG=1", "XLA_FLAGS=a b",
		"TT_METAL_HOME=/tt", "CUDA_VISIBLE_DEVICES=0", "HIP_PLATFORM=amd", "MALLOC_ARENA_MAX=1", "TF_CPP_MIN_LOG_LEVEL=0",
		"ZONEMARK_HOME=/cache",
	}
	others := []string{
		"GITHUB_TOKEN=x", "AWS_SECRET_ACCESS_KEY=x", "NVIDIA_API_KEY=x", "ZONEMARK_TOKEN=x", "TF_VAR_database=x", "JAX_PASSWORD=x",
		"GOOGLE_APPLICATION_CREDENTIALS=/key", "SSH_AUTH_SOCK=/run/x", "PS1=$", "EDITOR=vi", "DATABASE_URL=x",
	}
	o := Options{Variables: environ.Of(slices.Concat(needed, others)...)}
	if got := o.ofNativeCode().Entries(); !slices.Equal(got, needed) {
		t.Errorf("%q, want %q", got, needed)
	}
	o.Environment = []string{"EDITOR", "GITHUB_TOKEN", "NONE"}
	want := append(slices.Clone(needed), "GITHUB_TOKEN=x", "EDITOR=vi")
	if got := o.ofNativeCode().Entries(); !slices.Equal(got, want) {
		t.Errorf("asked for: %q, want %q", got, want)
	}
}

func TestChanging(t *testing.T) {
	for _, c := range []struct {
		entries []string
		want    string
	}{
		{nil, "none"},
		{[]string{"PATH=/bin", "HOME=/", "GITHUB_TOKEN=x", "XLA_FLAGS_OF_MINE=1"}, "none"},
		{[]string{"OMP_NUM_THREADS=2", "LD_PRELOAD=/a.so:/b.so", "XLA_FLAGS=--a --b"},
			"LD_PRELOAD=/a.so:/b.so; OMP_NUM_THREADS=2; XLA_FLAGS=--a --b"},
	} {
		if got := Changing(environ.Of(c.entries...)); got != c.want {
			t.Errorf("%q: %q, want %q", c.entries, got, c.want)
		}
	}
}
