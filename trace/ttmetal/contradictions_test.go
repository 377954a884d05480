package ttmetal

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestContradictions joins tables of a few calls on one device. Times are in microseconds; the clock has 1 GHz.
func TestContradictions(t *testing.T) {
	const columns = "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,SUB DEVICE ID,DEVICE FW START CYCLE,DEVICE FW END CYCLE," +
		"DEVICE FW DURATION [ns],DEVICE KERNEL DURATION [ns],OP TO OP LATENCY [ns]\n"
	// sub device, start, end, firmware, kernels, gap
	row := func(name, sub string, start, end, firmware, kernels, gap string) string {
		in := func(us string) string {
			if us != "" {
				us += "000"
			}
			return us
		}
		return fmt.Sprintf("%s,tt_dnn_device,1,0,%s,%s,%s,%s,%s,%s\n", name, sub, in(start), in(end), in(firmware), in(kernels),
			in(gap))
	}
	a, b, c := row("a", "", "0", "10", "10", "9", ""), row("b", "", "10", "20", "10", "9", ""), row("c", "", "20", "30", "10", "9", "")
	for name, one := range map[string]struct {
		rows string
		bad  string // names of calls that contradict
	}{
		"good":                        {a + b + c, ""},
		"overlap by a little":         {a + b + row("d", "", "15", "30", "15", "9", "-5"), ""},
		"a start from before":         {row("z", "", "9000", "9010", "10", "9", "") + row("s", "", "10", "9020", "9010", "9009", ""), "s"},
		"an end from the future":      {a + row("s", "", "10", "90000", "89990", "89989", "") + row("z", "", "9000", "9010", "10", "9", ""), "s"},
		"only the gap says it":        {row("s", "", "10", "9020", "9010", "9009", "-8900") + row("z", "", "9020", "9030", "10", "9", "0"), "s"},
		"firmware waits for its turn": {row("l", "", "10", "9010", "9000", "8999", "") + row("w", "", "5010", "9020", "4010", "9", "1"), ""},
		"a long op alone":             {row("s", "", "10", "9020", "9010", "9009", "") + row("z", "", "9020", "9030", "10", "9", "0"), ""},
		"a gap without cycles":        {row("s", "", "", "", "9010", "9009", "-8900") + row("z", "", "", "", "10", "9", "0"), "s"},
		"sub devices run at once":     {row("x", "0", "0", "9000", "9000", "8999", "") + row("y", "1", "10", "9010", "9000", "8999", "-8990"), ""},
		"one sub device does not":     {row("x", "1", "0", "9000", "9000", "8999", "") + row("y", "1", "10", "9010", "9000", "8999", ""), "y"},
		"kernels beyond firmware":     {a + b + row("k", "", "20", "30", "10", "50", ""), "k"},
		"kernels just beyond it":      {a + b + "k,tt_dnn_device,1,0,,20000,30000,10000,10003,\n", "k"},
		"kernels beyond by rounding":  {a + b + "k,tt_dnn_device,1,0,,20000,30000,10000,10002,\n", ""},
		"a duration of other cycles":  {a + b + row("k", "", "20", "30", "7000", "9", ""), "k"},
	} {
		ops, err := ReadOps("ops.csv", strings.NewReader(columns+one.rows))
		if err != nil {
			t.Fatal(err)
		}
		r := Join(Tables{Ops: ops})
		var bad []string
		run := 0.0
		for i := range r.Calls {
			if c := &r.Calls[i]; c.Contradicts {
				bad = append(bad, c.Op)
			} else {
				run += c.RunNS()
			}
		}
		if got := strings.Join(bad, " "); got != one.bad || r.Partial != (one.bad != "") || r.RunNS != run {
			t.Errorf("%s: %q contradict, want %q; partial %v, %g ns of kernels, problems %q", name, got, one.bad, r.Partial,
				r.RunNS, r.Problems)
		}
		for _, o := range r.Ops {
			if o.Share > 1 {
				t.Errorf("%s: %s has a share of %g", name, o.Op, o.Share)
			}
		}
	}
}

// TestCompareDevices: an op that is not on all devices is said if most are; other programs on other devices are not.
func TestCompareDevices(t *testing.T) {
	for rows, want := range map[string]string{
		"a 0 a 1 b 0 b 1 c 0":     "c has rows of 1 of 2 devices (not of 1)",
		"a 0 a 1 c 0":             "c has rows of 1 of 2 devices (not of 1)",
		"a 0 b 1 c 0 d 1":         "",
		"a 0 a 1 c 0 d 1 e 0 f 1": "",
		"a 0 b 0":                 "",
	} {
		text := "OP CODE,DEVICE ID,DEVICE KERNEL DURATION [ns]\n"
		for i, words := 0, strings.Fields(rows); i < len(words); i += 2 {
			text += words[i] + "," + words[i+1] + ",5\n"
		}
		ops, err := ReadOps("ops.csv", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		r := Join(Tables{Ops: ops})
		if got := strings.Join(r.Problems, "; "); want == "" && got != "" || !strings.Contains(got, want) ||
			r.Partial != (want != "") {
			t.Errorf("%s: %q, want %q", rows, got, want)
		}
	}
}

// TestDeviceOpsFiles: tt-metal's C++ report is a report where it is alone, or named; beside other tables it says less of the
// same calls.
func TestDeviceOpsFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	report := write("cpp_device_perf_report.csv", "GLOBAL CALL COUNT,DEVICE ID,OP NAME,DEVICE FW DURATION [ns]\n1,0,a,5\n")
	found, err := FindFiles([]string{dir})
	if err != nil || len(found) != 1 || found[0].Ops != report {
		t.Fatalf("%v, %+v", err, found)
	}
	r, err := ReadFiles(context.Background(), found[0], nil)
	if err != nil || r.Partial || r.RunNS != 5 || r.Ops[0].Op != "a" {
		t.Errorf("%v, %+v", err, r)
	}
	write("tracy_ops_data.csv", "MessageName;total_ns\n")
	if found, err = FindFiles([]string{dir}); err != nil || len(found) != 1 || found[0].Ops != "" {
		t.Errorf("beside other tables: %v, %+v", err, found)
	}
	if found, err = FindFiles([]string{report}); err != nil || len(found) != 1 || found[0].Ops != report {
		t.Errorf("named: %v, %+v", err, found)
	}
}
