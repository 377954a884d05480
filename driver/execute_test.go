package driver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"zonemark/driver/journal"
	"zonemark/driver/plan"
	"zonemark/invocations"
	"zonemark/invocations/files/faults"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/testsize"
)

// checksOnly returns a plan of n invocations that are called once.
func checksOnly(n int) *plan.Plan {
	whole := &plan.Plan{}
	for i := range n {
		inv := invocations.Invocation{ID: fmt.Sprintf("%016x", i+1), Name: fmt.Sprintf("nop/n=%d", i), Runtime: "hat",
			Function: "nop", Artifact: invocations.Artifact{Path: "nop.hat"}}
		inv.Measure.CheckOnly = true
		whole.Add(plan.Entry{Invocation: inv})
	}
	return whole
}

// execution carries out a plan and returns the ids of the results that the user was told of.
func execution(t *testing.T, plan *plan.Plan, journal JournalFile) (told []string, err error) {
	_, err = Execute(t.Context(), plan, Execution{
		Executor: &hostile{}, Build: "test", Journal: journal,
		Machines: filepath.Join(filepath.Dir(journal.Path), "machines.json"),
		Progress: func(p Progress) {
			if p.Record != nil {
				told = append(told, p.Record.ID)
			}
		},
	})
	return told, err
}

// TestJournalFaults lets each operation on the files of a run fail once, in each way. What the user was told of is in the
// journal, the error says what to do, and --resume completes the run, with each result once.
func TestJournalFaults(t *testing.T) {
	for _, c := range []struct {
		name   string
		n      int // invocations
		before func(path string) error
		kept   int // results that are there before
		mode   JournalFile
	}{
		{"new", testsize.Of(20, 50), func(string) error { return nil }, 0, JournalFile{}},
		{"replaced", 5, func(path string) error { return os.WriteFile(path, []byte(`{"kind":"header"`), 0o666) },
			0, JournalFile{Overwrite: true}},
		{"resumed behind a torn line", 10, func(path string) error {
			_, err := execution(t, checksOnly(5), JournalFile{Path: path})
			whole, read := os.ReadFile(path)
			return errors.Join(err, read, os.WriteFile(path, whole[:len(whole)-9-len("\n")], 0o666))
		}, 5, JournalFile{Resume: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var told []string
			plan := checksOnly(c.n)
			faults.Each(t, c.n+5, func(folder string) error {
				return c.before(filepath.Join(folder, "j.ndjson"))
			}, func(folder string) (err error) {
				mode := c.mode
				mode.Path = filepath.Join(folder, "j.ndjson")
				told, err = execution(t, plan, mode)
				return err
			}, func(folder string, f faults.Fault, err error) {
				checkFaulty(t, filepath.Join(folder, "j.ndjson"), f, c.kept, told, err)
				if err := completed(t, plan, filepath.Join(folder, "j.ndjson")); err != nil {
					t.Errorf("%v: %v", f, err)
				}
			})
		})
	}
}

// checkFaulty checks what a run has left in which an operation failed, in a journal that held so many results before.
func checkFaulty(t *testing.T, path string, f faults.Fault, kept int, told []string, failed error) {
	t.Helper()
	if text := fmt.Sprint(failed); failed != nil && !f.Ends() && (!strings.Contains(text, path) ||
		!strings.Contains(text, "--resume") && !strings.Contains(text, "name another")) {
		t.Errorf("%v: the error does not tell the file and what to do: %v", f, failed)
	}
	stored, err := journal.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && failed != nil && len(told) == 0 {
		return
	}
	if err != nil {
		t.Fatalf("%v: %v", f, err)
	}
	if failed == nil && !stored.Complete {
		t.Errorf("%v: the run ended well, and its journal is not complete: %s", f, stored.Why)
	}
	if stored.Results < kept || len(told) > 0 && stored.Header.Kind == "" {
		t.Errorf("%v: %d results, of which %d are new, and the header %+v", f, stored.Results, len(told), stored.Header)
	}
	if f.Kind.PowerLoss() && failed != nil { // results are synced at the end
		return
	}
	done := map[string]bool{}
	for _, r := range recordstest.All(t, stored.Records) {
		done[r.ID] = true
	}
	for _, id := range told {
		if !done[id] {
			t.Fatalf("%v: the result of %s is lost", f, id)
		}
	}
}

// completed resumes a run and checks that each invocation has its result once.
func completed(t *testing.T, plan *plan.Plan, path string) error {
	before, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if strings.HasPrefix(string(before), `{"kind":"header"`) && !strings.Contains(string(before), "\n") {
		return nil // the run that was to replace it did not begin
	}
	if _, err := execution(t, plan, JournalFile{Path: path, Resume: true}); err != nil {
		return err
	}
	stored, err := journal.ReadFile(path)
	switch {
	case err != nil:
		return err
	case !stored.Complete || stored.Results != plan.Len() || stored.Records.Len() != plan.Len():
		return fmt.Errorf("complete %t (%s): %d result lines of %d invocations, want %d", stored.Complete, stored.Why,
			stored.Results, stored.Records.Len(), plan.Len())
	}
	return nil
}

// A journal that becomes unreadable during a run is an error when its results are read, and nothing panics. The journal
// is closed, so that the next run can have it.
func TestUnreadableResult(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.ndjson")
	e := Execution{Executor: &puppet{play: quick}, Journal: JournalFile{Path: path}}
	if _, err := Execute(t.Context(), planOf("f", "g"), e); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	e.Journal.Resume = true
	e.Passes = []DispatchPass{func(_ context.Context, plan *plan.Plan, done *journal.Done) (map[string]invocations.Profile, error) {
		if err := os.WriteFile(path, bytes.Repeat([]byte{'x'}, len(text)), 0o666); err != nil {
			t.Fatal(err)
		}
		return nil, nil
	}}
	outcome, err := Execute(t.Context(), planOf("f", "g", "h"), e)
	if err != nil || outcome.Records.Len() != 3 {
		t.Errorf("%d records, %v", outcome.Records.Len(), err)
	}
	_, err = outcome.Records.List()
	if unreadable := new(journal.UnreadableError); !errors.As(err, &unreadable) || !strings.Contains(err.Error(), path) {
		t.Errorf("the results are read: %v", err)
	}
	if r, err := outcome.Records.At(2); err != nil || r.Name != "h" {
		t.Errorf("the result behind those that are gone: %+v, %v", r, err)
	}
	if err := outcome.Records.Close(); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	e.Passes = nil
	if again, err := Execute(t.Context(), planOf("f", "g", "h"), e); err != nil || again.Records.Len() != 3 {
		t.Errorf("the next run: %d records, %v", again.Records.Len(), err)
	}
}

// A journal that is removed or renamed during a run ends the run with an error. It used to end well, with no results.
func TestRemovedJournal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("open files cannot be removed")
	}
	for _, remove := range []func(path string) error{
		os.Remove, func(path string) error { return os.Rename(path, path+".old") },
		func(path string) error { // another file takes its place
			return errors.Join(os.Rename(path, path+".old"), os.WriteFile(path, nil, 0o666))
		},
	} {
		for _, last := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), "j.ndjson")
			plan := planOf("f", "g", "h")
			outcome, err := Execute(t.Context(), plan, Execution{
				Executor: &puppet{play: quick}, Journal: JournalFile{Path: path}, Progress: func(p Progress) {
					if p.Record != nil && (p.Finished == 1 && !last || p.Finished == 3) {
						if err := remove(path); err != nil {
							t.Fatal(err)
						}
					}
				}})
			if removed := new(journal.RemovedError); !errors.As(err, &removed) || strings.Count(err.Error(), "removed") != 1 {
				t.Errorf("last %t: %v", last, err)
			}
			if left := outcome.LeftOver(); !strings.HasSuffix(left, "in no journal") {
				t.Errorf("left over: %q", left)
			}
		}
	}
}

// A run that wants no journal keeps its results in a temporary one: all of them can be read afterwards in the order of
// the plan, also those of a run that was interrupted, and nothing of it is left.
func TestWithoutJournal(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	const n = 4000
	for _, most := range []int{n, 7} {
		ctx, cancel := context.WithCancel(t.Context())
		e := Execution{Executor: &hostile{}, Build: "test", Progress: func(p Progress) {
			if p.Record != nil && p.Finished == most && most < n {
				cancel()
			}
		}}
		outcome, err := Execute(ctx, checksOnly(n), e)
		cancel()
		if (most < n) != errors.Is(err, context.Canceled) || outcome.Records.Len() != most {
			t.Fatalf("%d records, want %d; %v", outcome.Records.Len(), most, err)
		}
		last := -1
		for _, r := range recordstest.All(t, outcome.Records) {
			if *r.Place <= last || r.Name != fmt.Sprintf("nop/n=%d", *r.Place) {
				t.Fatalf("%s is at %d, behind %d", r.Name, *r.Place, last)
			}
			last = *r.Place
		}
		if left, err := filepath.Glob(filepath.Join(folder, "*")); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
		if err := outcome.Records.Close(); err != nil {
			t.Error(err)
		}
	}
}
