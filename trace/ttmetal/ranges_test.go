package ttmetal

import (
	"slices"
	"strings"
	"testing"
)

// rangeTable is a run with signposts, one of which comes twice. Kernels take 10 ns of windows of 25.
const rangeTable = `OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,HOST START TS,HOST DURATION [ns],` +
	`DEVICE FW START CYCLE,DEVICE FW END CYCLE,DEVICE FW DURATION [ns],DEVICE KERNEL DURATION [ns]
Load,tt_dnn_device,1,0,10,5,0,25,25,10
step,signpost,,,20,,,,,
A,tt_dnn_device,2,0,30,5,20,45,25,10
A,tt_dnn_device,3,0,40,5,100,125,25,10
step,signpost,,,50,,,,,
B,tt_dnn_device,4,0,60,5,200,225,25,10
end,signpost,,,70,,,,,
Store,tt_dnn_device,5,0,80,5,300,325,25,10
`

// opsOf lists the ops of a report's calls.
func opsOf(r *Report) string {
	var list []string
	for i := range r.Calls {
		list = append(list, r.Calls[i].Op)
	}
	return strings.Join(list, " ")
}

func TestBetween(t *testing.T) {
	ops, err := ReadOps("ops", strings.NewReader(rangeTable))
	if err != nil {
		t.Fatal(err)
	}
	r := Join(Tables{Ops: ops})
	for _, test := range []struct{ from, to, want string }{
		{"", "", "Load A A B Store"},
		{"step", "", "A A B Store"},
		{"step", "step", "A A"},
		{"step", "end", "A A B"},
		{"", "step", "Load"},
		{"end", "", "Store"},
	} {
		part, err := r.Between(test.from, test.to)
		if err != nil || opsOf(part) != test.want {
			t.Fatalf("%q to %q: %v, %v", test.from, test.to, part, err)
		}
		n := float64(len(part.Calls))
		if part.RunNS != 10*n || part.DeviceNS != 25*n || part.Devices[0].Calls != int64(n) ||
			part.Calls[0].DeviceGapNS != -1 || part.Calls[0].HostGapNS != -1 {
			t.Errorf("%q to %q: %+v %+v", test.from, test.to, part, part.Calls[0])
		}
	}
	if part, _ := r.Between("step", "step"); part.Devices[0].SpanNS != 105 || part.Devices[0].BusyNS != 50 ||
		part.Overlaps != 0 || r.Overlaps != 1 || r.Devices[0].SpanNS != 325 {
		t.Errorf("%+v of %+v", part.Devices[0], r.Devices[0])
	}
	for _, test := range []struct{ from, to, want string }{
		{"x", "", `--from: there is no signpost "x"; there are step, end`},
		{"end", "step", `--to: there is no signpost "step" behind the one of --from; there are step, end`},
	} {
		if _, err := r.Between(test.from, test.to); err == nil || err.Error() != test.want {
			t.Errorf("%q to %q: %v", test.from, test.to, err)
		}
	}
	empty, err := ReadOps("ops", strings.NewReader(strings.ReplaceAll(rangeTable, "Load,tt_dnn_device", "first,signpost")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Join(Tables{Ops: empty}).Between("first", "step"); err == nil ||
		!strings.Contains(err.Error(), "no call is between") {
		t.Error(err)
	}
}

func TestRanges(t *testing.T) {
	ops, err := ReadOps("ops", strings.NewReader(rangeTable))
	if err != nil {
		t.Fatal(err)
	}
	r := Join(Tables{Ops: ops})
	var names []string
	for _, o := range r.Ranges() {
		names = append(names, o.Op)
	}
	if !slices.Equal(names, []string{BeforeSignposts, "step", "step (2)", "end"}) {
		t.Errorf("%q", names)
	}
	if o := r.Ranges()[1]; o.Calls != 2 || o.RunNS != 20 || !near(o.Share, 0.4) {
		t.Errorf("%+v", o)
	}
	part, err := r.Between("step", "end")
	if err != nil {
		t.Fatal(err)
	}
	if o := part.Ranges(); len(o) != 2 || o[0].Op != BeforeSignposts || o[0].Calls != 2 || o[1].Op != "step" {
		t.Errorf("%+v", o)
	}
}

// TestRangesOfLogs: of the host's messages, signposts come before the calls that follow them.
func TestRangesOfLogs(t *testing.T) {
	const data = "MessageName;total_ns\n" +
		"`TT_DNN_DEVICE_OP: \"A\", 1, 0, false, 1`;10\n" +
		"`TT_SIGNPOST: measured\nwith a second line`;20\n" +
		"`TT_DNN_DEVICE_OP: \"B\", 1, 0, false, 2`;30\n"
	messages, err := ReadOpsData("data", strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	r := Join(Tables{Messages: messages})
	if part, err := r.Between("measured", ""); err != nil || opsOf(part) != "B" {
		t.Errorf("%q, %v, %q", r.Signposts, err, opsOf(r))
	}
}
