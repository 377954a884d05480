package machine

import (
	"path/filepath"
	"strings"
	"testing"

	"zonemark/invocations/files"
	"zonemark/invocations/files/faults"
)

// Whatever fails while a run keeps what it has learned, what is known of other machines stays.
func TestFaults(t *testing.T) {
	other, here := map[string]string{"host": "other"}, map[string]string{"host": "here"}
	faults.Each(t, 10, func(folder string) error {
		saved(t, opened(t, filepath.Join(folder, "machines.json"), other), learned(2, 4))
		return nil
	}, func(folder string) error {
		m, err := Open(filepath.Join(folder, "machines.json"), here)
		if err != nil {
			return err
		}
		m.Observe(learned(3, 3))
		return m.Save()
	}, func(folder string, f faults.Fault, err error) {
		path := filepath.Join(folder, "machines.json")
		if m := opened(t, path, other); m.QuietPorts() != 2 || m.ReferenceGHz() != 4 {
			t.Errorf("%v: what is known of another machine is lost: %+v", f, m.kept)
		}
		if m := opened(t, path, here); err == nil && f.Kind != faults.LosesAll && m.QuietPorts() != 3 {
			t.Errorf("%v: no error, and nothing is kept: %+v", f, m.kept)
		}
		if err != nil && !f.Ends() && !strings.Contains(err.Error(), path) {
			t.Errorf("%v: the error does not name the file: %v", f, err)
		}
		saved(t, opened(t, path, here), learned(3, 3))
		if left, _ := filepath.Glob(filepath.Join(folder, files.TemporaryPattern(path))); len(left) > 0 {
			t.Errorf("%v: left behind: %v", f, left)
		}
	})
}
