package peaks

import (
	"path/filepath"
	"strings"
	"testing"

	"zonemark/invocations/files/faults"
)

// Whatever fails while peaks are kept, those of other machines stay.
func TestKeepFaults(t *testing.T) {
	faults.Each(t, 10, func(folder string) error {
		return Keep(filepath.Join(folder, File), "other", []Peak{somePeak("a", 1e9)})
	}, func(folder string) error {
		return Keep(filepath.Join(folder, File), "here", []Peak{somePeak("b", 2e9)})
	}, func(folder string, f faults.Fault, err error) {
		path := filepath.Join(folder, File)
		if list, read := Load(path, "other"); read != nil || len(list) != 1 {
			t.Errorf("%v: the peaks of another machine are lost: %v, %v", f, list, read)
		}
		if list, read := Load(path, "here"); read != nil || err == nil && f.Kind != faults.LosesAll && len(list) != 1 {
			t.Errorf("%v: no error, and nothing is kept: %v, %v", f, list, read)
		}
		if err != nil && !f.Ends() && !strings.Contains(err.Error(), path) {
			t.Errorf("%v: the error does not name the file: %v", f, err)
		}
	})
}
