package tuning

import (
	"slices"
	"testing"

	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/driver/tune"
	"zonemark/invocations"
)

// TestDivide checks that each schedule of a pipeline is measured once: a sample is refused if its schedule is the
// untuned one, that of an earlier sample or that of an earlier batch, or if it could not be made. It is left out if there
// was no time for it.
func TestDivide(t *testing.T) {
	t.Parallel()
	madeAs := func(name, features string, status invocations.Status) tune.Made {
		return tune.Made{Name: name, Status: status, Files: map[string]string{tune.Featurization: features}}
	}
	blur := &pipeline{Pipeline: tune.Pipeline{Name: "blur"}, untuned: madeAs("blur_untuned", "plain", invocations.OK)}
	tuner := &tuner{
		task: &measuring.Task{}, list: []*pipeline{blur}, byName: map[string]*pipeline{"blur": blur},
		requests: map[string]invocations.Invocation{},
	}
	b := &batchWork{first: map[string]string{"blur" + "old": "batch_1"}, schedules: map[string]schedule{}}
	made := []tune.Made{
		madeAs("s0", "tiled", invocations.OK), madeAs("s1", "tiled", invocations.OK),
		madeAs("s2", "plain", invocations.OK), madeAs("s3", "old", invocations.OK),
		madeAs("s4", "split", invocations.Failed), {}, madeAs("s6", "split", invocations.OK),
	}
	samples := slices.Repeat([]tune.Sample{{Pipeline: "blur"}}, len(made))
	requests, refused := tuner.divide(b, samples, made)
	var asked, reasons []string
	for _, r := range requests {
		asked = append(asked, r.Name)
	}
	for _, r := range refused {
		reasons = append(reasons, r.Invocation.Name+" "+string(r.Verdict)+" "+r.Reason)
	}
	if want := []string{"blur_untuned", "s0", "s6"}; !slices.Equal(asked, want) || len(b.schedules) != len(want) {
		t.Errorf("measured: %q of %d schedules, want %q", asked, len(b.schedules), want)
	}
	const once = ", which is measured once"
	if want := []string{
		"s1 skipped it is the schedule of s0" + once, "s2 skipped it is the schedule of blur_untuned" + once,
		"s3 skipped it is the schedule of batch_1" + once, "s4 failed ",
	}; !slices.Equal(reasons, want) {
		t.Errorf("refused: %q, want %q", reasons, want)
	}
}
