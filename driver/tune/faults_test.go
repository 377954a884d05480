package tune

import (
	"errors"
	"strings"
	"testing"

	"zonemark/driver/halide/adams2019"
	"zonemark/invocations/files/faults"
)

// TestTuningFaults: whatever fails while a sample is made and measured, the tuning goes on in its folder, what was kept
// is there, and the rest can be made again.
func TestTuningFaults(t *testing.T) {
	made, s := madeFiles(t, 3), Sample{"p", 1, 3}
	var kept, measured bool
	sample := func(path string) (err error) {
		kept, measured = false, false
		f, err := Open(path)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		if _, err := f.SetStart(&adams2019.Weights{}); err != nil {
			return err
		}
		if err := f.Begin(settings); err != nil {
			return err
		}
		b := f.Batch(s.Batch)
		m, err := b.Keep(madeOK(s.Name()), made)
		if kept = err == nil; !kept {
			return err
		}
		err = b.Measured(s, m, Timing{MedianNS: 5e6})
		measured = err == nil
		return err
	}
	faults.Each(t, 30, nil, sample, func(path string, fault faults.Fault, failed error) {
		if failed != nil && !fault.Ends() && !strings.Contains(failed.Error(), path) {
			t.Errorf("%v: the error does not name the file: %v", fault, failed)
		}
		stays := fault.Kind != faults.LosesAll // samples, unlike settings, are not waited for
		wasKept, wasMeasured := kept && stays, measured && stays
		if wasKept {
			f, err := Open(path)
			if err != nil {
				t.Fatalf("%v: %v", fault, err)
			}
			m, err := f.Batch(s.Batch).Read(s)
			if err != nil || !m.HasLibrary() {
				t.Errorf("%v: the sample is lost: %v", fault, err)
			}
			if one, err := adams2019.ReadSample(m.File(sampleSuffix)); wasMeasured && (err != nil || one.RuntimeMS != 5) {
				t.Errorf("%v: its time is lost: %+v, %v", fault, one, err)
			}
			if err := f.Close(); err != nil {
				t.Errorf("%v: %v", fault, err)
			}
		}
		if err := sample(path); err != nil {
			t.Errorf("%v: afterwards: %v", fault, err)
		}
	})
}
