package dispatches

import (
	"os"
	"path/filepath"
	"testing"

	"zonemark/trace/dispatchcsv"
)

// Rows of an invocation are replaced by those of its next run. Rows of other invocations stay if they are to be kept.
func TestReplaceRows(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "rows.csv")
	write := func(keep bool, of map[string]string, rows ...dispatchcsv.Row) []dispatchcsv.Row {
		t.Helper()
		if err := replaceRows(path, rows, of, keep); err != nil {
			t.Fatal(err)
		}
		got, err := ReadCSV(path)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	a := dispatchcsv.Row{Invocation: "a", Name: "first", Dispatch: "d0", DurationNS: 5}
	b := dispatchcsv.Row{Invocation: "b", Name: "second", Dispatch: "d1", DurationNS: 7}
	both := map[string]string{"a": "first", "b": "second"}
	if got := write(false, both, a, b); len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	a.DurationNS = 6
	if got := write(true, map[string]string{"a": "first"}, a); len(got) != 2 || got[0].Invocation != "b" ||
		got[1].DurationNS != 6 {
		t.Errorf("kept: %+v", got)
	}
	if got := write(true, both); len(got) != 0 {
		t.Errorf("an invocation that has no rows any more: %+v", got)
	}
	if err := os.WriteFile(path, []byte("no such columns\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := replaceRows(path, []dispatchcsv.Row{a}, both, true); err == nil {
		t.Error("a file of another kind was replaced")
	}
}

func TestCaptureOutput(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "run.tracy")
	if got := captureOutput(file, true); got != file {
		t.Errorf("without a capture: %s", got)
	}
	for _, name := range []string{"run.tracy", "run-2.tracy"} {
		if err := os.WriteFile(filepath.Join(filepath.Dir(file), name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := filepath.Base(captureOutput(file, true)); got != "run-3.tracy" {
		t.Errorf("a resumed run: %s", got)
	}
	if got := captureOutput(file, false); got != file {
		t.Errorf("a new run: %s", got)
	}
}
