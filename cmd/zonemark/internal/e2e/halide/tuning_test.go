package halide

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/driver/halide/adams2019"
	"zonemark/driver/setup/setuptest"
	"zonemark/driver/tune"
	"zonemark/invocations/testsize"
)

// A tuning that is killed again and again has, when it is through, what one has that was never killed: each sample was
// made and measured once, and what was there stays. Its weights and its best schedule are of use. The small size has one
// batch and one kill; the large one has two, of which parts are damaged at the end, and Halide schedules by the weights.
func TestTuneKilled(t *testing.T) {
	t.Parallel()
	setuptest.Halide(t)
	folder := filepath.Join(t.TempDir(), "tuned")
	batches, perBatch := testsize.Of(1, 2), testsize.Of(2, 5)
	arguments := e2e.TuneArguments(t, folder, "--batches", fmt.Sprint(batches), "--samples", fmt.Sprint(perBatch), "--rate", "0.001")
	made := func() map[string]string {
		paths, err := filepath.Glob(filepath.Join(folder, "batch_*", "*_sample_*.json"))
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]string{}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			info, missing := os.Stat(path)
			if err := errors.Join(err, missing); err != nil {
				t.Fatal(err)
			}
			found[path] = info.ModTime().String() + string(text) // one that is made again says the same
		}
		return found
	}
	results := func() (lines []string) {
		paths, err := filepath.Glob(filepath.Join(folder, "batch_*", "results.ndjson"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range strings.Split(string(text[:bytes.LastIndexByte(text, '\n')+1]), "\n") {
				if strings.HasPrefix(line, `{"kind":"result"`) {
					lines = append(lines, line)
				}
			}
		}
		return lines
	}
	kept := map[string]string{}
	var measured []string
	states := []func() bool{
		func() bool { return len(results()) >= 1 },
		func() bool { return len(made()) >= perBatch+2 },
	}
	if testsize.Large() {
		states = append([]func() bool{func() bool { return len(made()) >= 2 }}, states...)
	}
	for _, reached := range states[:testsize.Of(1, 3)] {
		killWhen(t, reached, arguments...)
		now := made()
		for path, text := range kept {
			if now[path] != text {
				t.Errorf("%s was made again", path)
			}
		}
		kept, measured = now, results()
	}
	e2e.Runs(t, cli.ExitOK, arguments...)
	now := made()
	for path, text := range kept {
		if now[path] != text {
			t.Errorf("%s was made again", path)
		}
	}
	if len(now) != batches*perBatch {
		t.Errorf("%d samples, not %d", len(now), batches*perBatch)
	}
	all := results()
	for _, line := range measured {
		if !slices.Contains(all, line) {
			t.Errorf("a result is gone: %s", line)
		}
	}
	for batch := 1; batch <= batches; batch++ {
		numbers := slices.Sorted(maps.Keys(e2e.SampleStatuses(t, folder, batch)))
		last := fmt.Sprintf("%04d", perBatch-1)
		if len(numbers) != perBatch || numbers[0] != "0000" || numbers[perBatch-1] != last {
			t.Errorf("batch %d has results of the samples %v, not of 0000 to %s", batch, numbers, last)
		}
	}
	checkTuned(t, folder, batches)

	before := len(results())
	said := e2e.Runs(t, cli.ExitOK, arguments...)
	if !strings.Contains(said, fmt.Sprintf("batch %d: %d samples of each pipeline (finished earlier)", batches, perBatch)) ||
		len(results()) != before {
		t.Errorf("the finished tuning was not only shown:\n%s", said)
	}
	if batches > 1 {
		tuneDamaged(t, folder, perBatch, arguments)
	}
}

// tuneDamaged damages a finished tuning: what is damaged is told and left out, or is made again of what is there.
func tuneDamaged(t *testing.T, folder string, perBatch int, arguments []string) {
	t.Helper()
	timed, err := filepath.Glob(filepath.Join(folder, "batch_0001", "*.sample"))
	disturbed, wrong := filepath.Glob(filepath.Join(folder, "batch_0001", "*.contended")) // by other tests, perhaps all
	timed = append(timed, disturbed...)
	if err := errors.Join(err, wrong); err != nil || len(timed) == 0 {
		t.Fatalf("%v, %v", timed, err)
	}
	sample := strings.TrimSuffix(timed[0], filepath.Ext(timed[0])) + ".sample"
	if err := os.Rename(timed[0], sample); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{sample, filepath.Join(folder, "batch_0002", "updated.weights")} {
		if err := os.Truncate(path, 1000); err != nil {
			t.Fatal(err)
		}
	}
	said := e2e.Runs(t, cli.ExitOK, arguments...)
	for _, want := range []string{
		"warning: a sample is left out: " + sample,
		fmt.Sprintf("batch 1: %d samples of each pipeline (finished earlier)", perBatch),
		fmt.Sprintf("batch 2: %d samples of each pipeline\n", perBatch),
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	other, err := tune.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if said := e2e.Runs(t, cli.ExitError, arguments...); !strings.Contains(said, "another process tunes in this folder") {
		t.Errorf("the second tuner says:\n%s", said)
	}
}

// killWhen runs zonemark and kills it when a state is reached.
func killWhen(t *testing.T, reached func() bool, arguments ...string) {
	t.Helper()
	cmd := e2e.Command(t, arguments...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for !reached() {
		select {
		case err := <-ended:
			t.Fatalf("it ended before it could be killed: %v\n%s", err, said.String())
		case <-time.After(5 * time.Millisecond):
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-ended
}

// checkTuned looks at what a tuning has left: weights that have learned something and that Halide schedules with, and a
// best schedule that can be made again.
func checkTuned(t *testing.T, folder string, batches int) {
	t.Helper()
	start, err := adams2019.ReadWeights(filepath.Join(folder, "start.weights"))
	if err != nil {
		t.Fatal(err)
	}
	path, err := tune.WeightsOf(folder)
	if err != nil {
		t.Fatal(err)
	}
	updated, err := adams2019.ReadWeights(path)
	if err != nil {
		t.Fatal(err)
	}
	undisturbed, err := filepath.Glob(filepath.Join(folder, "batch_*", "*.sample"))
	if err != nil {
		t.Fatal(err)
	}
	// Other tests disturb samples, which are then not learned from. Equal schedules count once.
	if learned := *updated != *start; !learned && len(undisturbed) > 2*adams2019.FewestSchedules {
		t.Errorf("the weights have learned nothing of %d samples", len(undisturbed))
	}
	best, err := tune.ReadBest(folder, "three")
	if err != nil {
		t.Fatal(err)
	}
	schedule, err := os.ReadFile(best.File(tune.Schedule))
	if err != nil || !strings.Contains(string(schedule), "apply_schedule_three(") {
		t.Errorf("the schedule does not apply itself: %v\n%s", err, schedule)
	}
	if best.Batches != batches || !(best.RatioLow <= best.UntunedRatio && best.UntunedRatio <= best.High()) {
		t.Errorf("%+v", best)
	}
	journal := filepath.Join(t.TempDir(), "journal")
	e2e.Runs(t, cli.ExitOK, "run", best.File(tune.Library), "--function", "three", "--check", "-o", journal)
	if testsize.Large() {
		e2e.Runs(t, cli.ExitOK, "run", e2e.Testdata(t, "tuning.py"), "--scheduler", "adams2019", "--weights", path,
			"--scheduler-param", "beam_size=1", "--check", "-o", journal, "--overwrite")
	}
	var described map[string]any
	if text, err := os.ReadFile(filepath.Join(folder, "best", "three.json")); err != nil {
		t.Error(err)
	} else if err := json.Unmarshal(text, &described); err != nil || described["weights_sha256"] == "" {
		t.Errorf("%v: %s", err, text)
	}
}
