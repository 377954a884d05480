package ttmetal

import (
	"bufio"
	"testing"
)

func TestTableKindOf(t *testing.T) {
	for name, want := range map[string]TableKind{
		"tt_profile_log_device.csv": DeviceTable, "tt_ops_times.csv": HostTable, "tt_ops_data.csv": DataTable,
		"tt_ops_perf_results.csv":           OpsTable,
		"tt_ops_perf_results_8_devices.csv": OpsTable, "small_0112.u.csv": NoTable, "small_0112.agg.csv": NoTable,
		"small_0140.tracy": NoTable,
	} {
		line, err := bufio.NewReader(ttSample(t, name)).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if got := KindOf(line); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}
