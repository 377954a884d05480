package doctoring

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/driver/doctor"
	"zonemark/driver/report"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
)

// made returns a program whose output a test reads.
func made(t *testing.T) (p program.Program, out, errs *bytes.Buffer) {
	t.Helper()
	out, errs = &bytes.Buffer{}, &bytes.Buffer{}
	p = program.Standard()
	p.Streams = cli.Streams{Out: out, Err: errs}
	p.Variables = p.Variables.With("ZONEMARK_HOME=" + t.TempDir())
	return p, out, errs
}

// A look at this machine says something about each subject, in both formats.
func TestFindings(t *testing.T) {
	t.Parallel()
	p, out, errs := made(t)
	if status := Run(t.Context(), p, []string{"--time", "0", "--watch", "10ms", "--format", "ndjson"}); status != cli.ExitOK {
		t.Fatalf("exit status %d: %s", status, errs)
	}
	subjects := map[string]bool{}
	for line := range strings.Lines(out.String()) {
		var f struct {
			Kind string
			doctor.Finding
		}
		if err := json.Unmarshal([]byte(line), &f); err != nil || f.Kind != "finding" || f.Found == "" || f.Evidence == "" {
			t.Errorf("%s: %v", line, err)
		}
		subjects[f.Subject] = true
	}
	for _, s := range []string{"load", "governor", "SMT", "clock", "counters", "sandbox", "address layout"} {
		if !subjects[s] {
			t.Errorf("nothing is said of %s", s)
		}
	}
	out.Reset()
	if status := Run(t.Context(), p, []string{"--time", "0", "--watch", "10ms"}); status != cli.ExitOK ||
		!strings.Contains(out.String(), "\n  sandbox ") {
		t.Errorf("exit status %d: %s%s", status, out, errs)
	}
}

// Mistakes on the command line are errors.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"x": `doctor takes no arguments, and "x" is one`, "--trial 1s": "--trial 1s: want at least 2s, or 0 for no trial",
		"--format xml": "ndjson",
	} {
		p, _, errs := made(t)
		if status := Run(t.Context(), p, strings.Fields(args)); status != cli.ExitError || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: exit status %d: %s", args, status, errs)
		}
	}
}

// runs returns runs of all kernels, whose launches are given for the first one.
func runs(launches ...[]float64) (all []report.Run) {
	for _, l := range launches {
		var records []invocations.Record
		for i, k := range kernels {
			median, quiet := 100.0, 0.9
			r := invocations.Record{
				Kind: invocations.ResultKind, ID: k.steps, Name: "chain_" + k.steps, Status: invocations.OK,
				RecordedTimes:   invocations.RecordedTimes{MedianNS: &median},
				RecordedSubject: invocations.RecordedSubject{Parameters: map[string]string{"n": k.steps}},
				RecordedBatches: invocations.RecordedBatches{SamplesNS: []float64{100}},
			}
			r.QuietShare, r.LaunchMediansNS = &quiet, []float64{100, 100.1, 99.9, 100, 100.05}
			if i == 0 {
				r.LaunchMediansNS, r.MedianNS = l, &l[0]
			}
			records = append(records, r)
		}
		all = append(all, report.Run{Records: invocations.RecordsOf(records...)})
	}
	return all
}

// A run that differs from the others is an alarm in each pair with it. Equal runs are none.
func TestJudge(t *testing.T) {
	t.Parallel()
	same, other := []float64{10, 10.01, 9.99, 10.005, 9.995}, []float64{12, 12.01, 11.99, 12.005, 11.995}
	list, err := compareKernels(runs(same, same, other))
	if err != nil || len(list) != len(kernels) {
		t.Fatalf("%d kernels: %v", len(list), err)
	}
	if k := list[0]; k.Name != "10 ns" || k.Pairs != 3 || k.Alarms != 2 || k.Undecided != 0 || k.Spread != 0.2 ||
		k.MedianNS != 10 || k.QuietShare != 0.9 || !(k.Detectable > 0 && k.Detectable < 0.02) {
		t.Errorf("with one run that differs: %+v", k)
	}
	if k := list[1]; k.Alarms != 0 || k.Pairs != 3 {
		t.Errorf("of equal runs: %+v", k)
	}
	list, err = compareKernels(runs(same, same, []float64{10, 10.01, -0.2, 10.005, 9.995}))
	if err != nil {
		t.Fatal(err)
	}
	if k := list[0]; k.Pairs != 3 || k.Undecided != 2 || k.Alarms != 0 {
		t.Errorf("with a launch that took less than the loop around its calls: %+v", k)
	}
	bad := runs(same, same)
	recordstest.At(t, bad[1].Records, 2).Status, recordstest.At(t, bad[1].Records, 2).Error = invocations.Crashed, "signal"
	if _, err := compareKernels(bad); err == nil || !strings.Contains(err.Error(), "crashed: signal") {
		t.Errorf("a kernel that crashed: %v", err)
	}
	bad = runs(same, same)
	bad[1].Records = invocations.RecordsOf(recordstest.List(t, bad[1].Records)[1:]...)
	if _, err := compareKernels(bad); err == nil {
		t.Error("a kernel that one run lacks is no error")
	}
}
