package journal

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"zonemark/invocations"
	"zonemark/invocations/files/faults"
	"zonemark/invocations/recordstest"
)

// TestLongFaults lets each operation on the files of a journal fail once, in each way. The journal has once what
// results share, and results are appended again after an error, as Append allows. What was acknowledged is in it, once.
func TestLongFaults(t *testing.T) {
	const n = 20
	var acknowledged map[string]bool
	faults.Each(t, n, nil, func(folder string) error {
		acknowledged = map[string]bool{}
		j, err := Create(filepath.Join(folder, "j.ndjson"), testHeader(), false)
		if err != nil {
			return err
		}
		j.ShareCommons()
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
		stored, err := ReadFile(path)
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
		for i, r := range recordstest.All(t, stored.Records) {
			if want := trivial(i).SamplesNS; acknowledged[r.ID] && r.ID == trivial(i).ID && r.SamplesNS[0] != want[0] {
				t.Errorf("%v: %s has %v, want %v", f, r.ID, r.SamplesNS, want)
			}
			if !acknowledged[r.ID] || r.Status != invocations.OK {
				t.Errorf("%v: nobody was told of %s (%s)", f, r.ID, r.Status)
			}
		}
	})
}
