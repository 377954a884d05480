package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zonemark/invocations"
	"zonemark/invocations/files/faults"
	"zonemark/invocations/recordstest"
)

// kept appends n results to a journal, in the order of a plan from its end, and returns them.
func kept(t *testing.T, j *Writer, n int) (*Results, []invocations.Record) {
	t.Helper()
	results := j.Results(nil, func(yield func(string) bool) {
		for i := range n {
			if !yield(testRecord(i).ID) {
				return
			}
		}
	})
	want := make([]invocations.Record, n)
	for i := n - 1; i >= 0; i-- {
		want[i] = testRecord(i)
		want[i].Kind = invocations.ResultKind
		if err := results.Put(i, &want[i]); err != nil {
			t.Fatal(err)
		}
	}
	return results, want
}

// TestTemporary keeps the results of a run that wants no journal, and of one whose journal cannot be read: few of them
// in memory, many in a file without a name. They can be read after the journal was closed.
func TestTemporary(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	device, err := Create(os.DevNull, testHeader(), false)
	if err != nil {
		t.Fatal(err)
	}
	for name, j := range map[string]*Writer{"none": Temporary(), "device": device} {
		for _, n := range []int{3, 3 * spoolBytes / 700} {
			if name == "device" && n > 3 {
				continue
			}
			results, want := kept(t, j, n)
			if results.Status(2) != invocations.Crashed {
				t.Errorf("%s: status %q", name, results.Status(2))
			}
			if inFile := j.spool.file != nil; inFile != (n > 3 && runtime.GOOS != "windows") {
				t.Errorf("%s: %d results are in a file: %t", name, n, inFile)
			}
			records := results.Records()
			if err := j.Close(true); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, recordstest.List(t, records)); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", name, diff)
			}
			if left, err := filepath.Glob(filepath.Join(folder, "*")); err != nil || len(left) > 0 {
				t.Errorf("the file has a name: %v, %v", left, err)
			}
			if err := records.Close(); err != nil {
				t.Error(err)
			}
			j = Temporary()
		}
	}
}

// TestSpoolFaults lets each operation on the temporary file of a run fail once, in each way. Writing results does not
// fail: they stay in memory. Each can be read, or the error says that it cannot.
func TestSpoolFaults(t *testing.T) {
	const lines = 5 * spoolBytes / 100_000
	line := func(i int) []byte { return []byte(strings.Repeat(fmt.Sprintf("%09d\n", i), 10_000)) }
	var failed int
	faults.Each(t, 5, nil, func(folder string) error {
		t.Setenv("TMPDIR", folder)
		s := &spool{}
		var offsets []int64
		for i := range lines {
			offsets = append(offsets, s.end())
			if _, err := s.Write(line(i)); err != nil {
				return err
			}
		}
		failed = 0
		for i, offset := range offsets {
			got := make([]byte, len(line(i)))
			switch _, err := s.ReadAt(got, offset); {
			case err != nil:
				failed++
			case string(got) != string(line(i)):
				return fmt.Errorf("line %d is %.10q", i, got)
			}
		}
		return errors.Join(s.Close(), nil)
	}, func(folder string, f faults.Fault, err error) {
		if !f.Ends() && (failed > 1 || failed > 0 && f.Kind != faults.Input) {
			t.Errorf("%v: %d lines cannot be read", f, failed)
		}
		if text := fmt.Sprint(err); strings.Contains(text, "line ") {
			t.Errorf("%v: %v", f, err)
		}
		if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) > 0 && !f.Ends() {
			t.Errorf("%v: left behind: %v", f, left)
		}
	})
}
