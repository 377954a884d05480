package tune

import (
	"maps"
	"slices"
	"testing"
)

// The names and seeds are those of Halide's tuning script (autotune_loop.sh of Halide 21).
func TestNamesAndSeeds(t *testing.T) {
	for _, c := range []struct {
		sample     Sample
		name, seed string
	}{
		{Sample{"gaussian5x5", 1, 0}, "gaussian5x5_batch_0001_sample_0000", "00010000"},
		{Sample{"sobel", 12, 345}, "sobel_batch_0012_sample_0345", "00120345"},
		{Sample{"a_batch_0001", MostSamples, MostSamples}, "a_batch_0001_batch_9999_sample_9999", "99999999"},
	} {
		if got := c.sample.Name(); got != c.name {
			t.Errorf("%+v: name %s, not %s", c.sample, got, c.name)
		}
		if got := c.sample.Seed(); got != c.seed {
			t.Errorf("%+v: seed %s, not %s", c.sample, got, c.seed)
		}
	}
}

func TestSchedulerParams(t *testing.T) {
	first := Sample{"sobel", 3, 0}.SchedulerParams(4, 16)
	if want := map[string]string{
		"parallelism": "4", "beam_size": "16", "random_dropout": "100", "random_dropout_seed": "00030000",
	}; !maps.Equal(first, want) {
		t.Errorf("first sample: %v, not %v", first, want)
	}
	other := Sample{"sobel", 3, 7}.SchedulerParams(4, 16)
	if want := map[string]string{
		"parallelism": "4", "beam_size": "1", "random_dropout": "1", "random_dropout_seed": "00030007",
	}; !maps.Equal(other, want) {
		t.Errorf("other sample: %v, not %v", other, want)
	}
	untuned := UntunedParams(4, 16)
	if want := map[string]string{"parallelism": "4", "beam_size": "16"}; !maps.Equal(untuned, want) {
		t.Errorf("untuned: %v, not %v", untuned, want)
	}
}

func TestSamples(t *testing.T) {
	got := Samples([]string{"b", "a"}, 2, 2)
	if want := []Sample{{"b", 2, 0}, {"b", 2, 1}, {"a", 2, 0}, {"a", 2, 1}}; !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}
