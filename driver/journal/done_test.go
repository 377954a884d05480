package journal

import (
	"path/filepath"
	"strings"
	"testing"

	"zonemark/invocations"
	"zonemark/invocations/recordstest"
)

// TestForgetFailed resumes a journal with failed results. Those that may be called now are measured again, also if their
// artifacts have other ids since they can be read, and what is measured takes their places in the journal.
func TestForgetFailed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.ndjson")
	j, err := Create(path, Header{}, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Begin(); err != nil {
		t.Fatal(err)
	}
	record := func(id, name string, status invocations.Status) invocations.Record {
		return invocations.Record{Kind: invocations.ResultKind, ID: id, Name: name,
			RecordedSubject: invocations.RecordedSubject{Artifact: "a.c"}, Status: status}
	}
	for _, r := range []invocations.Record{record("1", "good", invocations.OK), record("2", "retried", invocations.Failed),
		record("3", "hopeless", invocations.Failed), record("4", "unread", invocations.Failed), record("5", "gone", invocations.Failed),
		record("6", "crashed", invocations.Crashed)} {
		if err := j.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(true); err != nil {
		t.Fatal(err)
	}
	plan := func(yield func(*invocations.Invocation, invocations.Status) bool) {
		for _, p := range []struct {
			id, name string
			verdict  invocations.Status
		}{{"1", "good", ""}, {"2", "retried", ""}, {"3", "hopeless", invocations.Failed}, {"40", "unread", ""},
			{"41", "unread", ""}, {"6", "crashed", ""}} {
			inv := &invocations.Invocation{ID: p.id, Name: p.name, Artifact: invocations.Artifact{Path: "a.c"}}
			if !yield(inv, p.verdict) {
				return
			}
		}
	}
	resumed, done, err := Resume(t.Context(), path, Header{})
	if err != nil {
		t.Fatal(err)
	}
	if again, err := done.ForgetFailed(plan); err != nil || again != 2 {
		t.Errorf("%d are measured again, %v", again, err)
	}
	for id, want := range map[string]bool{"1": true, "2": false, "3": true, "40": false, "41": false, "6": true} {
		if done.Has(id) != want {
			t.Errorf("%s is done: %v", id, !want)
		}
	}
	if err := resumed.Begin(); err != nil {
		t.Fatal(err)
	}
	for id, name := range map[string]string{"2": "retried", "40": "unread"} {
		r := record(id, name, invocations.OK)
		r.Replaces = done.ReplacedBy(id)
		if err := resumed.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := resumed.Close(true); err != nil {
		t.Fatal(err)
	}
	stored, err := ReadFile(path)
	if err != nil || !stored.Complete {
		t.Fatalf("%v, %s", err, stored.Why)
	}
	var got []string
	for _, r := range recordstest.All(t, stored.Records) {
		got = append(got, r.ID+" "+string(r.Status))
	}
	if want := "1 ok, 2 ok, 3 failed, 40 ok, 5 failed, 6 crashed"; strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", strings.Join(got, ", "), want)
	}
}

// found returns the result of an id, nil if there is none.
func found(t *testing.T, done *Done, id string) *invocations.Record {
	t.Helper()
	number, known := done.number(id)
	if !known {
		return nil
	}
	r, err := done.store.read(number, false)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
