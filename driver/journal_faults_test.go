package driver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/invocations"
	"zonemark/invocations/files/faults"
	"zonemark/invocations/testsize"
)

// checksOnly returns a plan of n invocations that are called once.
func checksOnly(n int) *Plan {
	plan := &Plan{}
	for i := range n {
		inv := trivialInvocation(i)
		inv.Measure.CheckOnly = true
		plan.Add(Planned{Invocation: inv})
	}
	return plan
}

// execution carries out a plan and returns the ids of the results that the user was told of.
func execution(t *testing.T, plan *Plan, journal JournalFile) (told []string, err error) {
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
	stored, err := ReadJournalFile(path)
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
	for _, id := range told {
		if _, there := stored.position[id]; !there {
			t.Fatalf("%v: the result of %s is lost", f, id)
		}
	}
}

// completed resumes a run and checks that each invocation has its result once.
func completed(t *testing.T, plan *Plan, path string) error {
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
	stored, err := ReadJournalFile(path)
	switch {
	case err != nil:
		return err
	case !stored.Complete || stored.Results != plan.Len() || stored.Records.Len() != plan.Len():
		return fmt.Errorf("complete %t (%s): %d result lines of %d invocations, want %d", stored.Complete, stored.Why,
			stored.Results, stored.Records.Len(), plan.Len())
	}
	return nil
}

// TestLongJournalFaults does the same with a journal that has once what results share, to which results are appended
// again after an error, as Append allows.
func TestLongJournalFaults(t *testing.T) {
	const n = 20
	var acknowledged map[string]bool
	faults.Each(t, n, nil, func(folder string) error {
		acknowledged = map[string]bool{}
		j, err := CreateJournal(filepath.Join(folder, "j.ndjson"), testHeader(), false)
		if err != nil {
			return err
		}
		j.long = true
		var failed error
		for i := range n {
			r := trivial(i)
			for range 2 {
				err := j.Append(r)
				failed = errors.Join(failed, err)
				if err == nil {
					acknowledged[r.ID] = true
					break
				}
			}
		}
		return errors.Join(failed, j.Close(true))
	}, func(folder string, f faults.Fault, failed error) {
		path := filepath.Join(folder, "j.ndjson")
		stored, err := ReadJournalFile(path)
		if errors.Is(err, fs.ErrNotExist) && len(acknowledged) == 0 {
			return
		}
		if err != nil {
			t.Fatalf("%v: %v", f, err)
		}
		lost := f.Kind.PowerLoss() && failed != nil // results are synced at the end
		if lost && len(acknowledged) > 0 && stored.Header.Kind == "" {
			t.Errorf("%v: the header is lost", f)
		}
		if stored.Results != len(acknowledged) && !lost || len(stored.Duplicates) > 0 || failed == nil && !stored.Complete {
			t.Errorf("%v: %d results, %d acknowledged, %d double", f, stored.Results, len(acknowledged),
				len(stored.Duplicates))
		}
		for i, r := range stored.Records.All() {
			if want := trivial(i).SamplesNS; acknowledged[r.ID] && r.ID == trivial(i).ID && r.SamplesNS[0] != want[0] {
				t.Errorf("%v: %s has %v, want %v", f, r.ID, r.SamplesNS, want)
			}
			if !acknowledged[r.ID] || r.Status != invocations.OK {
				t.Errorf("%v: nobody was told of %s (%s)", f, r.ID, r.Status)
			}
		}
	})
}
