package ttmetal

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"zonemark/trace/zonestats"
)

// ttRun reads the tables in testdata/tt_run that are named.
func ttRun(t testing.TB, names ...string) (tables Tables) {
	t.Helper()
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join("..", "testdata", "tt_run", name))
		if err != nil {
			t.Fatal(err)
		}
		switch name {
		case "profile_log_device.csv":
			tables.Device, err = ReadDeviceLog(name, bytes.NewReader(b))
		case "tracy_ops_times.csv":
			tables.HostZones, err = ReadOpsTimes(name, bytes.NewReader(b))
		case "tracy_ops_data.csv":
			tables.Messages, err = ReadOpsData(name, bytes.NewReader(b))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return tables
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) }

func opOf(t *testing.T, r *Report, name string) *OpTotals {
	t.Helper()
	i := slices.IndexFunc(r.Ops, func(o *OpTotals) bool { return o.Op == name })
	if i < 0 {
		t.Fatalf("no op %s", name)
	}
	return r.Ops[i]
}

// TestJoinLogs: a run in which host and device do not have the same calls, with every figure worked out by hand.
func TestJoinLogs(t *testing.T) {
	r := Join(ttRun(t, "profile_log_device.csv", "tracy_ops_times.csv", "tracy_ops_data.csv"))
	if len(r.Calls) != 7 || len(r.Ops) != 4 || len(r.Signposts) != 1 || r.AttributesLost != 1 || !r.Partial ||
		r.DeviceNS != 26500 || r.RunNS != 24700 || r.Overlaps != 0 || r.Chip.Name != "n150" {
		t.Fatalf("%d calls, %d ops, %+v", len(r.Calls), len(r.Ops), r)
	}
	m := r.Ops[0]
	if m.Op != "MatmulDeviceOperation" || m.Calls != 3 || m.DeviceCalls != 2 || m.WithoutDevice != 1 ||
		m.CacheMisses != 1 || m.DeviceNS != 18000 || m.KernelNS != 17400 || m.RunNS != 17400 ||
		m.Windows.Quantile(0.5) != 9000 || m.Runs.Quantile(0.5) != 8700 ||
		m.HostCalls != 3 || m.HostNS != 165000 || m.HostGapNS != 58000+5000 || m.CompileNS != 90000 ||
		m.LeastCores != 4 || m.MostCores != 4 || !near(m.Share, 17400./24700) ||
		m.DeviceGapNS != 101000 || !math.IsNaN(m.IdealFraction()) {
		t.Errorf("%+v", m)
	}
	if o := opOf(t, r, "BinaryNgDeviceOperation"); o.Calls != 2 || o.DeviceNS != 4000 || o.HostCalls != 1 ||
		o.HostNS != 20000 || o.DeviceGapNS != 99500+500 || o.HostGapNS != 39000 || o.CacheMisses != 0 {
		t.Errorf("replays share what the host did: %+v", o)
	}
	if o := opOf(t, r, "SoftmaxDeviceOperation"); o.WriteNS != 3000 || o.DeviceNS != 4000 || o.HostGapNS != 18000 {
		t.Errorf("%+v", o)
	}
	if o := opOf(t, r, UnknownOp); o.Calls != 1 || o.WithoutHost != 1 || o.DeviceNS != 500 || o.HostCalls != 0 ||
		o.CacheMisses != -1 {
		t.Errorf("%+v", o)
	}
	if len(r.Devices) != 1 {
		t.Fatalf("%d devices", len(r.Devices))
	}
	d := r.Devices[0]
	if d.Arch != "wormhole_b0" || d.MHz != 1000 || d.MHzDerived || d.Calls != 6 || d.Cores != 64 ||
		d.SpanNS != 404500 || d.BusyNS != 26500 || d.GapNS != 378000 || d.LongestGapNS != 101000 || !d.Placed ||
		!near(d.Utilisation(), 26500./404500) || d.RunNS != 24700 || !near(d.CoreUtilisation(), 24700.*4/(404500*64)) {
		t.Errorf("%+v", d)
	}
	if h := r.Host; h.Calls != 5 || h.SpanNS != 320000 || h.BusyNS != 200000 || h.GapNS != 120000 ||
		h.LongestGapNS != 58000 {
		t.Errorf("%+v", h)
	}
	problems := strings.Join(r.Problems, "\n")
	for _, want := range []string{"1 call of the host has no row of the device (4096 MatmulDeviceOperation)",
		"1 call of the device has no row of the host (5120)"} {
		if !strings.Contains(problems, want) {
			t.Errorf("%q is not in %q", want, problems)
		}
	}
}

// TestJoinHalves: what is there is used, and what is not is said.
func TestJoinHalves(t *testing.T) {
	for _, test := range []struct {
		names   []string
		calls   int
		problem string
	}{
		{[]string{"profile_log_device.csv"}, 6, "there are no tables of the host"},
		{[]string{"tracy_ops_times.csv", "tracy_ops_data.csv"}, 5, "there is no table of the device"},
		{[]string{"profile_log_device.csv", "tracy_ops_data.csv"}, 7, "there is no tracy_ops_times.csv"},
		{[]string{"profile_log_device.csv", "tracy_ops_times.csv"}, 7, "there is no tracy_ops_data.csv"},
	} {
		r := Join(ttRun(t, test.names...))
		if len(r.Calls) != test.calls || !r.Partial ||
			!slices.ContainsFunc(r.Problems, func(p string) bool { return strings.HasPrefix(p, test.problem) }) {
			t.Errorf("%v: %d calls, %q", test.names, len(r.Calls), r.Problems)
		}
	}
}

// TestJoinCutData: a message that is lost takes the name of the op with it and nothing else.
func TestJoinCutData(t *testing.T) {
	tables := ttRun(t, "profile_log_device.csv", "tracy_ops_times.csv", "tracy_ops_data.csv")
	tables.Messages = slices.DeleteFunc(tables.Messages, func(m Message) bool { return m.Call >= 4096 })
	r := Join(tables)
	if o := opOf(t, r, UnnamedOp); o.Calls != 3 || o.DeviceNS != 4000 || o.HostNS != 31000 || o.WithoutHost != 0 ||
		o.WithoutDevice != 1 {
		t.Errorf("%+v", o)
	}
	if !slices.ContainsFunc(r.Problems, func(p string) bool {
		return strings.HasPrefix(p, "3 calls of the host have no name (4096, 6144, 6144)")
	}) {
		t.Errorf("%q", r.Problems)
	}
}

// TestJoinOps: totals of a real report against sums that do not pass through our readers.
func TestJoinOps(t *testing.T) {
	ops, err := ReadOps("ops", ttSample(t, "tt_ops_perf_results.csv"))
	if err != nil {
		t.Fatal(err)
	}
	r := Join(Tables{Ops: ops})
	if r.Partial || len(r.Problems) > 0 || len(r.Calls) != 21 || len(r.Signposts) != 6 || r.DeviceNS != 11414430 {
		t.Fatalf("%d calls, signposts %q, %v ns, %q", len(r.Calls), r.Signposts, r.DeviceNS, r.Problems)
	}
	p := r.Ops[0]
	if p.Op != "PermuteDeviceOperation" || p.Calls != 6 || p.DeviceNS != 9225015 || p.KernelNS != 9220820 ||
		p.Windows.MinNS() != 95641 || p.Windows.MaxNS() != 5403650 || p.RunNS != 9220820 ||
		p.HostNS != 959562 || p.CacheMisses != -1 {
		t.Errorf("%+v", p)
	}
	d := r.Devices[0]
	if !d.MHzDerived || math.Abs(d.MHz-1350) > 1 || d.Calls != 21 || !near(d.BusyNS+d.GapNS, d.SpanNS) ||
		math.Abs(d.BusyNS/11414430-1) > 1e-4 {
		t.Errorf("%+v", d)
	}
	for i := range r.Calls { // the column of the table goes on to the start of the kernel
		c := &r.Calls[i]
		op := ops[slices.IndexFunc(ops, func(o Op) bool { return o.Call == c.Call })]
		if want := float64(op.OpToOpNS) - (c.FWNS - c.KernelNS); i > 0 && math.Abs(c.DeviceGapNS-want) > 20+1e-4*want {
			t.Errorf("call %d: a gap of %v, %v by the table", c.Call, c.DeviceGapNS, want)
		}
	}
}

func TestJoinManyDevices(t *testing.T) {
	ops, err := ReadOps("ops", ttSample(t, "tt_ops_perf_results_8_devices.csv"))
	if err != nil {
		t.Fatal(err)
	}
	r := Join(Tables{Ops: ops})
	if len(r.Calls) != 24 || len(r.Devices) != 8 || len(r.Ops) != 3 || r.Partial {
		t.Fatalf("%d calls, %d devices, %q", len(r.Calls), len(r.Devices), r.Problems)
	}
	for i, d := range r.Devices {
		if d.Device != int64(i) || d.Calls != 3 || d.Cores != 110 || d.Arch != "blackhole" ||
			math.Abs(d.MHz-1350) > 1 || !(d.Utilisation() > 0 && d.CoreUtilisation() < d.Utilisation()) {
			t.Errorf("%+v", d)
		}
	}
	if m := opOf(t, r, "MatmulDeviceOperation"); m.CacheMisses != 8 ||
		!(m.IdealFraction() > 0.6 && m.IdealFraction() < 0.65) {
		t.Errorf("%+v, %v of the model", m, m.IdealFraction())
	}
}

// TestJoinOpsAndDevice: the device's log fills up what the table of ops lacks.
func TestJoinOpsAndDevice(t *testing.T) {
	const table = "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,HOST START TS,HOST DURATION [ns],DEVICE FW DURATION " +
		"[ns]\n" +
		"A,tt_dnn_device,1024,0,10,5,7\nA,tt_dnn_device,2048,0,20,5,\n" +
		"B,tt_dnn_device,4096,0,30,5,\nH,python_fallback,,,40,5,\n"
	ops, err := ReadOps("ops", strings.NewReader(table))
	if err != nil {
		t.Fatal(err)
	}
	tables := ttRun(t, "profile_log_device.csv")
	tables.Ops = ops
	r := Join(tables)
	if a := opOf(t, r, "A"); a.DeviceCalls != 2 || a.DeviceNS != 9007 {
		t.Errorf("%+v", a)
	}
	if b, h, u := opOf(t, r, "B"), opOf(t, r, "H"), opOf(t, r, UnknownOp); b.WithoutDevice != 1 ||
		h.WithoutDevice != 0 || u.WithoutHost != 4 || len(r.Problems) != 2 {
		t.Errorf("%+v %+v %+v %q", b, h, u, r.Problems)
	}
	if d := r.Devices[0]; !(d.BusyNS > 0) || d.SpanNS < d.BusyNS {
		t.Errorf("%+v", d)
	}
}

// TestStatistics: a report against itself has not changed, against one with slower calls it has.
func TestStatistics(t *testing.T) {
	table := func(ns int) *zonestats.Summary {
		var b strings.Builder
		b.WriteString("OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,HOST START TS,DEVICE FW DURATION [ns]\n")
		for i := range 20 {
			for _, op := range []string{"Matmul", "Softmax"} {
				time := 1000 + i
				if op == "Matmul" {
					time = ns + i
				}
				b.WriteString(op + ",tt_dnn_device," + strconv.Itoa(1024*i) + ",0,1," + strconv.Itoa(time) + "\n")
			}
		}
		ops, err := ReadOps("ops", strings.NewReader(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		stats, err := zonestats.Summarize(Join(Tables{Ops: ops}).Zones(false), zonestats.Options{ByName: true})
		if err != nil {
			t.Fatal(err)
		}
		return stats
	}
	three := func(ns int) []*zonestats.Summary {
		return []*zonestats.Summary{table(ns), table(ns + 1), table(ns + 2)}
	}
	changes := zonestats.Diff(three(1000), three(1500), 0.01)
	if len(changes) != 2 || changes[0].Name != "Matmul" || changes[0].Verdict != zonestats.Slower ||
		changes[0].DeltaNS() != 20*500 || changes[1].Verdict != zonestats.Same {
		t.Errorf("%+v", changes)
	}
	hostOnly := Join(ttRun(t, "tracy_ops_times.csv"))
	if _, err := zonestats.Summarize(hostOnly.Zones(false), zonestats.Options{}); err == nil ||
		!strings.Contains(err.Error(), "no call has a time of the device") {
		t.Errorf("%v", err)
	}
}

// FuzzJoin holds every total to what all promise: finite, not negative, and shares that sum to one.
func FuzzJoin(f *testing.F) {
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join("..", "testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		return b
	}
	f.Add(read("tt_profile_log_device.csv"), read("tt_run/tracy_ops_times.csv"), read("tt_run/tracy_ops_data.csv"),
		read("tt_ops_perf_results.csv")[:4096], true)
	f.Add([]byte(ttLog("0 1 BRISC 7 - - 100 BRISC-FW <\n0 1 BRISC 7 - - 100 BRISC-FW >")),
		[]byte("name,zone_text,ns_since_start,exec_time_ns\nTT_DNN_DEVICE_OP,id:7,1,2\n"),
		[]byte("MessageName;total_ns\n`TT_DNN_DEVICE_OP: \"M\", 1, 0, 1, 7`;9\n"),
		[]byte("OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,HOST START TS,DEVICE FW DURATION "+
			"[ns]\nM,tt_dnn_device,7,0,1,\n"), true)
	f.Fuzz(func(t *testing.T, device, times, data, ops []byte, withOps bool) {
		var tables Tables // errors leave what came before them, as in the command
		tables.Device, _ = ReadDeviceLog("f", bytes.NewReader(device))
		tables.HostZones, _ = ReadOpsTimes("f", bytes.NewReader(times))
		tables.Messages, _ = ReadOpsData("f", bytes.NewReader(data))
		if withOps {
			tables.Ops, _ = ReadOps("f", bytes.NewReader(ops))
		}
		r := Join(tables)
		fuzzGroups(t, r)
		share, calls := 0.0, int64(0)
		for _, o := range r.Ops {
			share += o.Share
			calls += o.Calls
			for _, ns := range []float64{o.RunNS, o.DeviceNS, o.KernelNS, o.DeviceGapNS, o.HostNS, o.HostGapNS, o.CompileNS,
				o.WriteNS, o.IdealNS, o.Rates.FLOP, o.Rates.DRAMBytes} {
				if !(ns >= 0) || math.IsInf(ns, 0) {
					t.Fatalf("%+v", o)
				}
			}
		}
		if calls != int64(len(r.Calls)) || r.RunNS > 0 && math.Abs(share-1) > 1e-6 {
			t.Fatalf("%d of %d calls, shares of %v", calls, len(r.Calls), share)
		}
		for _, d := range r.Devices {
			if !(d.BusyNS >= 0 && d.GapNS >= 0 && d.SpanNS >= 0) || d.BusyNS > d.SpanNS*(1+1e-9) {
				t.Fatalf("%+v", d)
			}
		}
	})
}

// fuzzGroups holds what calls are put together by to all of the calls.
func fuzzGroups(t *testing.T, r *Report) {
	for _, groups := range [][]*OpTotals{r.Shapes(), r.Ranges(), r.Categories()} {
		calls := int64(0)
		for _, o := range groups {
			calls += o.Calls
			r.Advice(o)
		}
		if calls != int64(len(r.Calls)) {
			t.Fatalf("%d of %d calls", calls, len(r.Calls))
		}
	}
	for i, name := range r.Signposts {
		if part, err := r.Between(name, ""); err == nil && len(part.Calls) > len(r.Calls) {
			t.Fatalf("signpost %d: %d calls", i, len(part.Calls))
		}
	}
}
