package params

import (
	"slices"
	"testing"
)

func TestUnusual(t *testing.T) {
	const weights = "\n    ublock_weight: 1\n    tile_weight: 2\n"
	f, err := Parse([]byte("tanh:\n  approx:"+weights+"tahn:\n  base:"+weights+"add:\n  base:"+weights+"  approx:"+weights), "p.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"p.yaml: operation tanh has no set base: what has the attributes of no set has no weights",
		`p.yaml: operation tahn: Budabackend's model has no such operation; did you mean "tanh"?`,
	}
	if got := f.Unusual(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestPublishedIsUsual(t *testing.T) {
	f, err := ReadFile("testdata/wormhole_b0_params_v3.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Unusual(); got != nil {
		t.Errorf("%q", got)
	}
}
