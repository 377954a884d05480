package halprofile

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"
)

const lavapipeSample = "mlp_lavapipe_dispatch-events.ireeprof"

// Dispatches that a device has timed are on the host's clock. The device's clock of the sample is the host's, so that
// the times are those of iree-profile's own export, except the 0.3 µs between the sample's two clocks.
func TestDeviceDispatches(t *testing.T) {
	b := sample(t, lavapipeSample)
	r, err := Decode(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	counts, names := summary(r)
	if len(counts) != 1 || counts[Dispatch] != 9 || !slices.Equal(names, mlpNames) {
		t.Fatalf("%v, %q", counts, names)
	}
	want := [][2]int64{{4481476653757, 4481508292925}, {4481508357225, 4481530106584}, {4481530153524, 4481531543773}}
	for i, w := range want {
		e := r.Events[i]
		if !e.OnDevice || r.Name(e.Function) != mlpNames[i] || e.Workgroups != [3]uint32{[]uint32{8, 2, 1}[i], 1, 1} ||
			e.Command != uint32(2*i) || e.Submission != 3 {
			t.Errorf("%+v", e)
		}
		if math.Abs(float64(e.StartNS-w[0])) > 500 || math.Abs(float64(e.EndNS-w[1])) > 500 {
			t.Errorf("from %d to %d ns, want about %v", e.StartNS, e.EndNS, w)
		}
	}
}

// A device's clock has its own beginning and speed.
func TestHostNS(t *testing.T) {
	c := clock{correlation{tick: 1000, hostNS: 1 << 60}, correlation{tick: 1000 + 1<<40, hostNS: 1<<60 + 10<<40}}
	for tick, want := range map[uint64]int64{
		1000: 1 << 60, 1001: 1<<60 + 10, 999: 1<<60 - 10, 1000 + 3<<40: 1<<60 + 30<<40, 0: 1<<60 - 10000,
	} {
		if got, ok := c.hostNS(tick); !ok || got != want {
			t.Errorf("tick %d: %d, want %d", tick, got, want)
		}
	}
	if got, ok := c.hostNS(math.MaxUint64); ok {
		t.Errorf("a time that does not fit: %d", got)
	}
}

func TestBadDeviceRecords(t *testing.T) {
	le := binary.LittleEndian
	dispatch := func(start, end uint64) []byte {
		b := make([]byte, deviceDispatchBytes)
		le.PutUint32(b, deviceDispatchBytes)
		le.PutUint64(b[72:], start)
		le.PutUint64(b[80:], end)
		return b
	}
	sampled := func(tick, ns uint64) []byte {
		b := make([]byte, correlationBytes)
		le.PutUint32(b, correlationBytes)
		le.PutUint32(b[4:], correlates)
		le.PutUint64(b[24:], tick)
		le.PutUint64(b[56:], ns)
		le.PutUint64(b[64:], ns)
		return b
	}
	for name, c := range map[string]struct {
		dispatches, samples []byte
		want                string
	}{
		"backwards":   {dispatch(9, 2), nil, "ends 7 ticks before it begins"},
		"no sample":   {dispatch(2, 9), nil, "no record relates its clock"},
		"one sample":  {dispatch(2, 9), sampled(1, 1), "went from tick 1 to 1"},
		"stopped":     {dispatch(2, 9), append(sampled(1, 1), sampled(1, 5)...), "while 4 ns passed"},
		"far away":    {dispatch(2, math.MaxUint64), append(sampled(1, 1), sampled(2, 1<<30)...), "centuries"},
		"before time": {dispatch(2, 9), sampled(1, math.MaxUint64), "a sample of clocks"},
	} {
		var r Records
		err := r.Add(contentPrefix+"clock-correlations", c.samples, 0)
		if err == nil {
			err = r.Add(contentPrefix+"dispatch-events", c.dispatches, 0)
		}
		if err == nil {
			err = r.onHostClock()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
