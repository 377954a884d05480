package sweep

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/driver/sweep/program"
	"zonemark/invocations/files/faults"
)

// TestResultsFaults: whatever fails in a sweep that goes on after an error, no row is lost that Add has taken, and the
// sweep ends with the same table as one that nothing disturbed.
func TestResultsFaults(t *testing.T) {
	programs := t.TempDir()
	o, list := swept(t, "")
	whole := opened(t, t.TempDir(), o, list)
	add(t, whole, programs, len(list))
	path, err := whole.Finish(t.TempDir(), "undisturbed")
	if err != nil {
		t.Fatal(err)
	}
	want := read(t, path)
	var taken []string
	faults.Each(t, 20, nil, func(out string) error {
		taken = nil
		r, err := OpenResults(out, o, list, cpu)
		if err != nil {
			return err
		}
		for _, c := range r.Missing() {
			item, made := NewCase(c, &program.Target{Runtime: program.PJRT, Device: "cpu"}, programs)
			if made != nil {
				return errors.Join(made, r.Close())
			}
			for range 2 { // once more after an error
				added := r.Add(item, measured(1000+float64(c.Int("output_mb_r"))))
				if err = errors.Join(err, added); added == nil {
					taken = append(taken, c.Key())
					break
				}
			}
		}
		return errors.Join(err, r.Close())
	}, func(out string, f faults.Fault, failed error) {
		if failed != nil && !f.Ends() && !strings.Contains(failed.Error(), out) {
			t.Errorf("%v: the error does not name the file: %v", f, failed)
		}
		r, err := OpenResults(out, o, list, cpu)
		if err != nil {
			t.Fatalf("%v: %v", f, err)
		}
		for _, key := range taken {
			if r.rows[key] == nil {
				t.Errorf("%v: the row of %s is lost", f, key)
			}
		}
		add(t, r, programs, len(list))
		path, err := r.Finish(filepath.Join(out, "raw"), "faulty")
		if err = errors.Join(err, r.Close()); err != nil {
			t.Fatalf("%v: %v", f, err)
		}
		if !bytes.Equal(read(t, path), want) {
			t.Errorf("%v: other rows:\n%s", f, read(t, path))
		}
	})
}
