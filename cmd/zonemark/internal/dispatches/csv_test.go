package dispatches

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"zonemark/invocations"
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

// TestAddProfiled checks that a resumed run keeps the rows of what it has not measured, and that a new one does not.
func TestAddProfiled(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "rows.csv")
	for _, c := range []struct {
		id     string
		resume bool
		want   []string
	}{
		{"a", false, []string{"a"}}, {"b", true, []string{"a", "b"}}, {"b", true, []string{"a", "b"}},
		{"c", false, []string{"c"}},
	} {
		ns := 5.0
		passes := &Passes{options: Options{CSVFile: path, Resume: c.resume}}
		err := passes.AddProfiled(invocations.RecordsOf(invocations.Record{
			ID: c.id, RecordedProfile: invocations.RecordedProfile{
				DispatchSource: invocations.ByProfiler,
				Dispatches:     []invocations.DispatchRecord{{Name: "d", Count: 1, MedianNS: &ns}},
			},
		}))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := ReadCSV(path)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, row := range rows {
			got = append(got, row.Invocation)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("after %s, resumed %v: rows of %q, want %q", c.id, c.resume, got, c.want)
		}
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
