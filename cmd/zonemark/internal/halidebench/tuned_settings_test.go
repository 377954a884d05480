package halidebench

import (
	"maps"
	"testing"
	"time"

	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/tuning"
	runtime "zonemark/executor/halide"
)

// Tuning before a comparison searches and measures as the comparison does, but for the times of samples.
func TestTuneAsMeasured(t *testing.T) {
	f := newFlags(program.Standard())
	if err := f.parse([]string{
		"--tune", "3s", "--tuned", "kept", "--beam", "7", "--cpu", "1", "--seed", "5", "--memory", "1g", "--timeout", "9s",
		"--sandbox", "off", "--quiet", "--max-time", "5s", "--target", "host-no_asserts", "--schedulers", "adams2019", "blur",
	}); err != nil {
		t.Fatal(err)
	}
	want := tuning.DefaultOptions()
	want.Folder, want.TimeLimitNS, want.Batches, want.Beam = "kept", int64(3*time.Second), 0, 7
	if got := f.tuneOptions(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	got, usual := f.tuneSettings(), tuning.DefaultSettings()
	if !maps.Equal(got.ArtifactOptions, map[string]string{runtime.OptionTarget: "host-no_asserts"}) {
		t.Errorf("options %v", got.ArtifactOptions)
	}
	m, limits := got.Base.Measure, got.Base.Limits
	if m.CPU != 1 || m.Seed != 5 || m.MaxTimeNS != usual.Base.Measure.MaxTimeNS || m.Launches != usual.Base.Measure.Launches {
		t.Errorf("%+v", m)
	}
	if limits.MemoryBytes != 1<<30 || limits.TimeoutNS != int64(9*time.Second) || limits.BuildNS != limits.TimeoutNS {
		t.Errorf("%+v", limits)
	}
	if got.Sandbox != f.Sandbox || !got.Quiet || got.Verbose || got.Base.Runtime != runtime.Name {
		t.Errorf("%+v", got)
	}
}
