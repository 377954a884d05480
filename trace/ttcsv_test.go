package trace

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func ttSample(t testing.TB, name string) *bytes.Reader {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(b)
}

func TestTTDeviceLog(t *testing.T) {
	log, err := ReadTTDeviceLog("log", ttSample(t, "tt_profile_log_device.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if log.Arch != "wormhole_b0" || log.ChipMHz != 1000 || log.MaxCores != 64 || len(log.Events) != 4 {
		t.Fatalf("%+v", log)
	}
	e := log.Events[2]
	if e.RISC != "BRISC" || e.Zone != "BRISC-KERNEL" || e.Type != "ZONE_END" || e.Cycles != 1005100 || e.RunID != 1024 || e.TraceID != -1 || e.SourceLine != 60 || e.SourceFile != "brisck.cc" || e.Line != 5 {
		t.Errorf("%+v", e)
	}
	if ns := log.NS(5000); ns != 5000 {
		t.Errorf("%v ns", ns)
	}
	const head = "ARCH: a, CHIP_FREQ[MHz]: 500\n"
	const columns = "core_x, core_y, RISC processor type, time[cycles since reset], run host ID, zone name, type, logical_x\n"
	log, err = ReadTTDeviceLog("log", strings.NewReader(head+columns+"1, 2, NCRISC, 010, 3, z, ZONE_START, 7\n"))
	if err != nil || log.Events[0].Cycles != 10 || log.Events[0].Other["logical_x"] != "7" || log.NS(10) != 20 {
		t.Errorf("%+v, %v", log, err)
	}
	for in, want := range map[string]string{
		"":                                   "log:1:",
		"ARCH: a, CHIP_FREQ[MHz]: 0\n":       "log:1:",
		head:                                 "log:2:",
		head + "core_x\n":                    "log:2:",
		head + columns + "x,2,N,1,3,z,T,7\n": `log:3: column "core_x"`,
		head + columns + "1,2,N,1,3,z,T,7\n1,2,N,1,3,z,T,7,8\n": "log:4: 9 fields",
	} {
		if _, err := ReadTTDeviceLog("log", strings.NewReader(in)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", in, err, want)
		}
	}
}

func TestTTOpsTimes(t *testing.T) {
	zones, err := ReadTTOpsTimes("times", ttSample(t, "tt_ops_times.csv"))
	if err != nil || len(zones) != 2 {
		t.Fatalf("%+v, %v", zones, err)
	}
	if z := zones[0]; z.Call != 1024 || z.ParentCall != -1 || z.StartNS != 5000000 || z.DurationNS != 142000 || z.Thread != 1 || z.SourceLine != 10 {
		t.Errorf("%+v", z)
	}
	if z := zones[1]; z.Name != "CompileProgram" || z.Call != -1 || z.ParentCall != 1024 || z.Line != 3 {
		t.Errorf("%+v", z)
	}
}

func TestTTOpsData(t *testing.T) {
	messages, err := ReadTTOpsData("data", ttSample(t, "tt_ops_data.csv"))
	if err != nil || len(messages) != 3 {
		t.Fatalf("%+v, %v", messages, err)
	}
	if m := messages[0]; m.Call != 1024 || m.Cached || m.AttributesLost || !strings.Contains(m.Attributes, `"op_hash": 99`) || m.TimeNS != 5000100 {
		t.Errorf("%+v", m)
	}
	if m := messages[1]; m.Call != 2048 || !m.Cached || m.Line != 4 {
		t.Errorf("%+v", m)
	}
	if m := messages[2]; m.Kind != "TT_SIGNPOST" || m.Text != "pass 2" || m.Call != -1 {
		t.Errorf("%+v", m)
	}
	messages, err = ReadTTOpsData("data", strings.NewReader("MessageName;total_ns\n`TT_DNN_DEVICE_OP: \"M\", 1, 0, 0, 7 ->\n{\"a\": {\"b`;9\n"))
	if err != nil || len(messages) != 1 || !messages[0].AttributesLost || messages[0].Call != 7 {
		t.Errorf("%+v, %v", messages, err)
	}
	if _, err = ReadTTOpsData("data", strings.NewReader("MessageName;total_ns\n`x\ny\n")); err == nil || !strings.HasPrefix(err.Error(), "data:2:") {
		t.Errorf("a cut file: %v", err)
	}
}

func TestTTOps(t *testing.T) {
	ops, err := ReadTTOps("ops", ttSample(t, "tt_ops_perf_results.csv"))
	if err != nil || len(ops) < 3 {
		t.Fatalf("%d, %v", len(ops), err)
	}
	if o := ops[0]; o.Code != "integral_image_start" || o.Type != "signpost" || o.HostStart != 9323049005 || o.Call != -1 || o.FWNS != -1 {
		t.Errorf("%+v", o)
	}
	if o := ops[1]; o.Code != "Transpose" || o.Call != 1024 || o.DeviceID != 0 || o.Cores != 20 || o.HostNS != 144669 || o.FWStartCycle != 12482573256535 || o.FWNS != 4478 || o.KernelNS != 3821 ||
		o.Other["INPUT_0_LAYOUT"] != "TILE" || o.Line != 3 {
		t.Errorf("%+v", o)
	}
	if _, err := ReadTTOps("ops", strings.NewReader("OP CODE,OP TYPE,HOST START TS\na,b,1\na,b,x\n")); err == nil || !strings.HasPrefix(err.Error(), `ops:3: column "HOST START TS"`) {
		t.Errorf("%v", err)
	}
}

func FuzzReadTTDeviceLog(f *testing.F) {
	fuzzTT(f, "tt_profile_log_device.csv", func(b []byte) (int, error) {
		log, err := ReadTTDeviceLog("f", bytes.NewReader(b))
		if log == nil {
			return 0, err
		}
		return len(log.Events), err
	})
}

func FuzzReadTTOpsTimes(f *testing.F) {
	fuzzTT(f, "tt_ops_times.csv", func(b []byte) (int, error) { z, err := ReadTTOpsTimes("f", bytes.NewReader(b)); return len(z), err })
}

func FuzzReadTTOpsData(f *testing.F) {
	fuzzTT(f, "tt_ops_data.csv", func(b []byte) (int, error) { m, err := ReadTTOpsData("f", bytes.NewReader(b)); return len(m), err })
}

func FuzzReadTTOps(f *testing.F) {
	fuzzTT(f, "tt_ops_perf_results.csv", func(b []byte) (int, error) { o, err := ReadTTOps("f", bytes.NewReader(b)); return len(o), err })
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
