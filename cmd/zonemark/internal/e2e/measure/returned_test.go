package measure

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/executor/rounds/statuses"
)

// TestReturnedValuesAreTold measures functions that return what may be a status. A value that is compared with an
// expected one needs no note.
func TestReturnedValuesAreTold(t *testing.T) {
	folder := t.TempDir()
	source := `
int fails(int a) { return -a; }
int counts(int a) { return a + 6; }
int succeeds(int a) { return 0 * a; }
long size(int a) { return 4096L * a; }
long refuses(int a) { return -22L * a; }
short narrow(int a) { return -5 * a; }
signed char tiny(int a) { return -3 * a; }
unsigned hash(int a) { return 4000000000u + a; }
double half(int a) { return -a / 2.0; }
double refused(int a) { return -a; }
void *missing(int a) { return (char *)0 + (a - 1); }
unsigned long none(int a) { return a - 1; }
void nothing(int a) { }
`
	if err := os.WriteFile(filepath.Join(folder, "k.c"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(want map[string][2]string, more ...string) {
		t.Helper()
		args := append([]string{"run", "k.c", "-q", "-o", "j.ndjson", "--param", "a=1", "--min-time", "2ms", "--max-time",
			"100ms"}, more...)
		if out, status := e2e.RunsIn(t, folder, args...); status != 0 {
			t.Fatalf("%v: status %d\n%s", more, status, out)
		}
		for name, r := range e2e.Journal(t, filepath.Join(folder, "j.ndjson")) {
			name, _, _ = strings.Cut(name, "/")
			value, note := want[name][0], want[name][1]
			notes := strings.Join(r.Notes, "\n")
			if r.Properties[statuses.Property] != value {
				t.Errorf("%v: %s: properties %v, want returned %q", more, name, r.Properties, value)
			}
			if note == "" && strings.Contains(notes, "returned") || !strings.Contains(notes, note) {
				t.Errorf("%v: %s: notes %q, want %q", more, name, notes, note)
			}
		}
		if err := os.Remove(filepath.Join(folder, "j.ndjson")); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string][2]string{
		"fails": {"-1", "returned -1: if a negative number is an error"}, "counts": {"7", "returned 7"},
		"size": {"4096", ""}, "refuses": {"-22", "returned -22: if"}, "narrow": {"-5", "returned -5: if"},
		"tiny": {"-3", "returned -3: if"}, "refused": {"-1", "returned -1: if"},
		"missing": {"NULL", "returned NULL: if that is an error"},
	}
	run(want, "--launches", "2")
	run(want, "--check")
	run(nil, "--function", "fails", "--expected-output", "1xi32=-1")
}
