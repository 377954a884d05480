package adams2019

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"zonemark/driver/setup/setuptest"
)

// schedule runs the autoscheduler on a small pipeline with weights from a file. It returns what the autoscheduler says
// and the features of the schedule.
func schedule(t *testing.T, weights string, cores int) (output string, features Features) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "scheduled.featurization")
	c := exec.Command(setuptest.Halide(t).Interpreter, "testdata/schedule.py", plugin(t), weights, strconv.Itoa(cores),
		path)
	c.Env = append(os.Environ(), "HL_DEBUG_AUTOSCHEDULE=1")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	features, err = ReadFeatures(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), features
}

// TestAutoschedulerReadsTheWeights: trained weights load back into the autoscheduler, which then predicts what Predict
// does.
func TestAutoschedulerReadsTheWeights(t *testing.T) {
	set := read(t, gauss5(t), 0)
	for _, cores := range []int{1, 6} {
		training := Training{Epochs: 50, Rates: []float32{0.0001}, Cores: cores}
		trained, err := Train(t.Context(), baseline(t), set, training)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "trained.weights")
		if err := trained.Write(path); err != nil {
			t.Fatal(err)
		}
		output, features := schedule(t, path, cores)
		if !strings.Contains(output, "Loading weights from "+path) || strings.Contains(output, "WARNING") {
			t.Fatalf("the weights were not taken:\n%s", output)
		}
		printed := regexp.MustCompile(`Best cost: (\S+)`).FindStringSubmatch(output)
		if printed == nil {
			t.Fatalf("no cost in\n%s", output)
		}
		theirs, err := strconv.ParseFloat(printed[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		ours, err := predict(trained, features, cores)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(ours-theirs) > 1e-4*theirs {
			t.Errorf("%d cores: %v ms; the autoscheduler says %v", cores, ours, theirs)
		}
	}
}

// TestAutoschedulerTakesRandomWeights shows why ReadWeights is needed: the autoscheduler accepts damaged weights.
func TestAutoschedulerTakesRandomWeights(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cut.weights")
	if err := os.WriteFile(path, startingWeights().Append(nil)[:9000], 0o666); err != nil {
		t.Fatal(err)
	}
	if output, _ := schedule(t, path, 2); !strings.Contains(output, "Randomizing weights") {
		t.Errorf("no random weights:\n%s", output)
	}
	if _, err := ReadWeights(path); err == nil {
		t.Error("damaged weights were read")
	}
}
