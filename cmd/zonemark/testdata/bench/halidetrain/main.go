// Command halidetrain is what halide-train.sh runs. "halidetrain train EPOCHS IN.weights OUT.weights" trains on the
// samples whose paths it reads; "halidetrain compare" measures that against the program of the package halide.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"zonemark/driver/halide/adams2019"
)

const rate = 0.0001

func main() {
	var err error
	switch {
	case len(os.Args) == 5 && os.Args[1] == "train":
		err = train(os.Args[2], os.Args[3], os.Args[4])
	case len(os.Args) == 6 && os.Args[1] == "compare":
		err = compare(os.Args[2], os.Args[3], os.Args[4], os.Args[5])
	default:
		err = errors.New("usage: halidetrain train EPOCHS IN OUT | compare HALIDE SAMPLES.zip FOLDER ROUNDS")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "halidetrain:", err)
		os.Exit(1)
	}
}

func train(epochs, in, out string) error {
	n, err := strconv.Atoi(epochs)
	if err != nil {
		return err
	}
	weights, err := adams2019.ReadWeights(in)
	if err != nil {
		return err
	}
	var paths []string
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		paths = append(paths, lines.Text())
	}
	samples, damaged := adams2019.ReadSamples(paths)
	set, mixed := adams2019.NewSet(samples)
	if len(damaged)+len(mixed) > 0 {
		return fmt.Errorf("samples were left out: %v %v", damaged, mixed)
	}
	weights, err = adams2019.Train(context.Background(), weights, set, adams2019.Training{Epochs: n,
		Rates: []float32{rate}, Cores: adams2019.ProgramCores})
	if err != nil {
		return err
	}
	return weights.Write(out)
}

// contest is a set of samples that both train on.
type contest struct {
	name   string
	paths  []string
	epochs int
	may    float64 // how much weights may differ
	ours   command
	theirs command
	out    [2]string
}

// command is a program with its best times.
type command struct {
	args      []string
	wall, cpu time.Duration
}

func compare(halide, archive, folder, rounds string) error {
	n, err := strconv.Atoi(rounds)
	if err != nil {
		return err
	}
	contests, err := contests(archive, folder)
	if err != nil {
		return err
	}
	start := filepath.Join(folder, "start.weights")
	weights, err := adams2019.Baseline(filepath.Join(halide, "lib64", "libautoschedule_adams2019.so"))
	if err != nil {
		return err
	}
	if err := weights.Write(start); err != nil {
		return err
	}
	missed := 0
	fmt.Printf("%-42s %10s %10s %7s %7s  %s\n", "samples", "zonemark", "program", "ratio", "of CPU",
		"weights differ by")
	for i, c := range contests {
		c.out = [2]string{filepath.Join(folder, fmt.Sprintf("ours%d.weights", i)),
			filepath.Join(folder, fmt.Sprintf("theirs%d.weights", i))}
		c.ours.args = []string{os.Args[0], "train", strconv.Itoa(c.epochs), start, c.out[0]}
		c.theirs.args = []string{filepath.Join(halide, "bin", "adams2019_retrain_cost_model"),
			fmt.Sprintf("--epochs=%d", c.epochs), fmt.Sprintf("--rates=%v", rate), "--num_cores=32",
			"--initial_weights=" + start, "--weights_out=" + c.out[1],
			"--best_benchmark=" + filepath.Join(folder, "best"), "--best_schedule=" + filepath.Join(folder, "best.h")}
		good, err := c.run(n)
		if err != nil {
			return err
		}
		if !good {
			missed++
		}
	}
	if missed > 0 {
		return fmt.Errorf("%d of %d miss their goal", missed, len(contests))
	}
	return nil
}

// run lets both programs take turns, prints a line, and reports whether the goal is met.
func (c contest) run(rounds int) (bool, error) {
	for range rounds {
		for _, program := range []*command{&c.ours, &c.theirs} {
			if err := program.time(c.paths); err != nil {
				return false, err
			}
		}
	}
	ours, err := adams2019.ReadWeights(c.out[0])
	if err != nil {
		return false, err
	}
	theirs, err := adams2019.ReadWeights(c.out[1])
	if err != nil {
		return false, err
	}
	ratio := c.ours.wall.Seconds() / c.theirs.wall.Seconds()
	differ := difference(ours, theirs)
	good := ratio <= 1.0/3 && differ <= c.may
	note := ""
	if !good {
		note = "  MISSED"
	}
	fmt.Printf("%-42s %7.1f ms %7.1f ms %7.3f %7.3f  %.1e%s\n", c.name, 1e3*c.ours.wall.Seconds(),
		1e3*c.theirs.wall.Seconds(), ratio, c.ours.cpu.Seconds()/c.theirs.cpu.Seconds(), differ, note)
	return good, nil
}

// time runs the program on samples and keeps its best times.
func (c *command) time(paths []string) error {
	run := exec.Command(c.args[0], c.args[1:]...)
	run.Stdin = strings.NewReader(strings.Join(paths, "\n") + "\n")
	var output bytes.Buffer
	run.Stdout, run.Stderr = &output, &output
	begin := time.Now()
	if err := run.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", c.args[0], err, output.Bytes())
	}
	wall, cpu := time.Since(begin), run.ProcessState.UserTime()+run.ProcessState.SystemTime()
	if c.wall == 0 || wall < c.wall {
		c.wall = wall
	}
	if c.cpu == 0 || cpu < c.cpu {
		c.cpu = cpu
	}
	return nil
}

// difference returns the largest difference of weights. The next 32-bit float is as near as a large weight can be, so a
// difference of one does not count above 8.
func difference(a, b *adams2019.Weights) float64 {
	largest := 0.0
	x, y := values(a), values(b)
	for i, v := range x {
		if math.Abs(float64(v)) <= 8 || math.Nextafter32(v, y[i]) != y[i] {
			largest = max(largest, math.Abs(float64(v)-float64(y[i])))
		}
	}
	return largest
}

// values returns all weights, in the order of the fields.
func values(w *adams2019.Weights) []float32 {
	var all []float32
	for _, planes := range w.Head1Filter {
		for _, row := range planes {
			all = append(all, row[:]...)
		}
	}
	all = append(append(all, w.Head1Bias[:]...), w.Head2Bias[:]...)
	for _, row := range w.Head2Filter {
		all = append(all, row[:]...)
	}
	for _, row := range w.Conv1Filter {
		all = append(all, row[:]...)
	}
	return append(all, w.Conv1Bias[:]...)
}
