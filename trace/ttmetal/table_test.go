package ttmetal

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ttLogHead is what a device's log begins with.
const ttLogHead = "ARCH: a, CHIP_FREQ[MHz]: 2\nPCIe slot, core_x, core_y, RISC processor type, time[cycles since " +
	"reset], run host ID, trace id, trace id counter, zone name, type, logical_x\n"

func ttSample(t testing.TB, name string) *bytes.Reader {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(b)
}

func TestDeviceLog(t *testing.T) {
	log, err := ReadDeviceLog("log", ttSample(t, "tt_profile_log_device.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if log.Arch != "wormhole_b0" || log.ChipMHz != 1000 || log.MaxCores != 64 || log.Rows != 4 {
		t.Fatalf("%+v", log)
	}
	want := []DeviceRun{{Call: 1024, TraceID: -1, TraceCounter: -1, StartCycle: 1000000, EndCycle: 1005300,
		KernelCycles: 5000, Cores: 1}}
	if diff := cmp.Diff(want, log.Runs); diff != "" || log.NS(5000) != 5000 {
		t.Error(diff)
	}
	for in, want := range map[string]string{
		"":                                 "log:1:",
		"ARCH: a, CHIP_FREQ[MHz]: 0\n":     "log:1:",
		ttLogHead[:27]:                     "log:2:",
		ttLogHead[:27] + "core_x\n":        "log:2:",
		ttLogHead + "0,x,2,N,1,3,,,z,T\n":  `log:3: column "core_x"`,
		ttLogHead + "0,1,2,N,-1,3,,,z,T\n": "log:3: column \"time[cycles since reset]\": -1 is no time",
		ttLogHead + "0,1,2,N,1,3,,,z,T\n1,2,N,1,7\n": "log:4: 5 fields where at least 10 are needed; " +
			"the file was cut",
		ttLogHead + "0,1,2,N,1,3,,,z,T\n0,1,2,N,1,3,,,z,T,8,9\n": "log:4: 12 fields under 11 columns",
	} {
		if _, err := ReadDeviceLog("log", strings.NewReader(in)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", in, err, want)
		}
	}
}

func TestOpsTimes(t *testing.T) {
	zones, err := ReadOpsTimes("times", ttSample(t, "tt_ops_times.csv"))
	if err != nil || len(zones) != 2 {
		t.Fatalf("%+v, %v", zones, err)
	}
	if z := zones[0]; z.Call != 1024 || z.ParentCall != -1 || z.StartNS != 5000000 || z.DurationNS != 142000 ||
		z.Thread != 1 || z.SourceLine != 10 {
		t.Errorf("%+v", z)
	}
	if z := zones[1]; z.Name != "CompileProgram" || z.Call != -1 || z.ParentCall != 1024 || z.Line != 3 {
		t.Errorf("%+v", z)
	}
}

func TestOpsData(t *testing.T) {
	messages, err := ReadOpsData("data", ttSample(t, "tt_ops_data.csv"))
	if err != nil || len(messages) != 3 {
		t.Fatalf("%+v, %v", messages, err)
	}
	if m := messages[0]; m.Call != 1024 || m.Op != "Matmul" || m.Device != 0 || m.Repeated || !m.CacheKnown ||
		m.CacheHit || m.AttributesLost || !strings.Contains(m.Attributes, `"op_hash": 99`) || m.TimeNS != 5000100 {
		t.Errorf("%+v", m)
	}
	if m := messages[1]; m.Call != 2048 || !m.Repeated || !m.CacheHit || m.Line != 4 {
		t.Errorf("%+v", m)
	}
	if m := messages[2]; m.Kind != "TT_SIGNPOST" || m.Text != "pass 2" || m.Call != -1 {
		t.Errorf("%+v", m)
	}
	messages, err = ReadOpsData("data", strings.NewReader("MessageName;total_ns\n`TT_DNN_DEVICE_OP: \"M\", 1, 0, 0, "+
		"7 ->\n{\"a\": {\"b`;9\n"))
	if err != nil || len(messages) != 1 || !messages[0].AttributesLost || messages[0].Call != 7 {
		t.Errorf("%+v, %v", messages, err)
	}
	messages, err = ReadOpsData("data", strings.NewReader("MessageName;total_ns\n`TT_DNN_DEVICE_OP: \"M, N\", 1, 3, "+
		"4099`;9\n"+
		"`TT_DNN_FALL_BACK_OP:\"torch.max\" ->\n{\n    \"global_call_count\": 5120,\n    \"op_code\": "+
		"\"torch.max\"\n}`;10\n"))
	if err != nil || len(messages) != 2 {
		t.Fatalf("%+v, %v", messages, err)
	}
	if m := messages[0]; m.Op != "M, N" || m.Device != 3 || m.Call != 4099 || m.CacheKnown {
		t.Errorf("an older version: %+v", m)
	}
	if m := messages[1]; m.Op != "torch.max" || m.Device != -1 || m.Call != 5120 || m.CacheKnown || m.AttributesLost {
		t.Errorf("an op of the host: %+v", m)
	}
	if _, err = ReadOpsData("data", strings.NewReader("MessageName;total_ns\n`x\ny\n")); err == nil ||
		!strings.HasPrefix(err.Error(), "data:2:") {
		t.Errorf("a cut file: %v", err)
	}
}

func TestOps(t *testing.T) {
	ops, err := ReadOps("ops", ttSample(t, "tt_ops_perf_results.csv"))
	if err != nil || len(ops) < 3 {
		t.Fatalf("%d, %v", len(ops), err)
	}
	if o := ops[0]; o.Code != "integral_image_start" || o.Type != "signpost" || o.HostStart != 9323049005 ||
		o.Call != -1 || o.FWNS != -1 {
		t.Errorf("%+v", o)
	}
	if o := ops[1]; o.Code != "Transpose" || o.Call != 1024 || o.DeviceID != 0 || o.Cores != 20 ||
		o.HostNS != 144669 || o.FWStartCycle != 12482573256535 || o.FWNS != 4478 || o.KernelNS != 3821 ||
		o.IdealNS != 1190 || o.Line != 3 {
		t.Errorf("%+v", o)
	}
	if _, err := ReadOps("ops", strings.NewReader("OP CODE,OP TYPE,HOST START TS\na,b,1\na,b,x\n")); err == nil ||
		!strings.HasPrefix(err.Error(), `ops:3: column "HOST START TS"`) {
		t.Errorf("%v", err)
	}
}

const manyRows = 512

// TestTableErrors: an error names its line and column, and what came before it is there.
func TestTableErrors(t *testing.T) {
	for _, bad := range []int{0, 1, manyRows - 1, manyRows, manyRows + 1, 2*manyRows + 7} {
		var b strings.Builder
		b.WriteString("OP CODE,OP TYPE,HOST START TS\n")
		for i := range 3 * manyRows {
			b.WriteString("a,tt_dnn_device," + map[bool]string{false: "1", true: "x"}[i == bad] + "\n")
		}
		ops, err := ReadOps("ops", strings.NewReader(b.String()))
		if want := fmt.Sprintf(`ops:%d: column "HOST START TS"`, bad+2); len(ops) != bad || err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%d rows, %v, want %d and %s", len(ops), err, bad, want)
		}
	}
}

// TestTableEmptyCells: what is empty in a row is not what the row before had there.
func TestTableEmptyCells(t *testing.T) {
	text := "OP CODE,OP TYPE,HOST START TS,CORE COUNT\n" + strings.Repeat("a,tt_dnn_device,1,5\n", manyRows) +
		strings.Repeat("b,,2,\n", manyRows)
	ops, err := ReadOps("ops", strings.NewReader(text))
	if err != nil || len(ops) != 2*manyRows {
		t.Fatal(len(ops), err)
	}
	if o := ops[manyRows]; o.Code != "b" || o.Type != "" || o.Cores != -1 {
		t.Errorf("%+v", o)
	}
}

func BenchmarkReadOps(b *testing.B) {
	text, err := io.ReadAll(ttSample(b, "tt_ops_perf_results_8_devices.csv"))
	if err != nil {
		b.Fatal(err)
	}
	header, rows, _ := bytes.Cut(text, []byte("\n"))
	long := append(append(header, '\n'), bytes.Repeat(rows, 100)...)
	b.SetBytes(int64(len(long)))
	for b.Loop() {
		if ops, err := ReadOps("ops", bytes.NewReader(long)); err != nil || len(ops) != 2400 {
			b.Fatal(len(ops), err)
		}
	}
}

func FuzzReadDeviceLog(f *testing.F) {
	fuzzTT(f, "tt_profile_log_device.csv", func(b []byte) (int, error) {
		log, err := ReadDeviceLog("f", bytes.NewReader(b))
		if log == nil {
			return 0, err
		}
		zones := 0
		for _, r := range log.Runs {
			if r.StartCycle > r.EndCycle || r.KernelCycles < 0 || r.Cores < 0 {
				return 1 << 40, err
			}
			zones += int(r.Cores)
		}
		return max(zones, len(log.Runs)), err
	})
}

func FuzzReadOpsTimes(f *testing.F) {
	fuzzTT(f, "tt_ops_times.csv", func(b []byte) (int, error) {
		z, err := ReadOpsTimes("f", bytes.NewReader(b))
		return len(z), err
	})
}

func FuzzReadOpsData(f *testing.F) {
	fuzzTT(f, "tt_ops_data.csv", func(b []byte) (int, error) {
		m, err := ReadOpsData("f", bytes.NewReader(b))
		return len(m), err
	})
}

func FuzzReadOps(f *testing.F) {
	fuzzTT(f, "tt_ops_perf_results.csv", func(b []byte) (int, error) {
		o, err := ReadOps("f", bytes.NewReader(b))
		return len(o), err
	})
}

// fuzzTT holds a reader to what all promise: no more rows than lines, and errors that name the file.
func fuzzTT(f *testing.F, sample string, read func([]byte) (int, error)) {
	b := make([]byte, 4096)
	n, _ := ttSample(f, sample).Read(b)
	f.Add(b[:n])
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, err := read(data)
		if rows > bytes.Count(data, []byte("\n"))+1 {
			t.Fatalf("%d rows", rows)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "f:") {
			t.Fatalf("an error without the file: %v", err)
		}
	})
}

func TestPaddedSize(t *testing.T) {
	for cell, want := range map[string]int64{"": 0, "3200[3197]": 3200, "3200": 3200, "3200.0": 3200, "3200.00": 3200,
		"0": 0, "4294967296": mostElements, "4294967297": 0, "4294967297.0": 0, "3.5": 0, "-1": 0, "1e3": 1000, "x": 0, "[7]": 0} {
		if n := paddedSize([]byte(cell)); n != want {
			t.Errorf("%q is read as %d, want %d", cell, n, want)
		}
	}
}
