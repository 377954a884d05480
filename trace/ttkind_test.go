package trace

import (
	"bufio"
	"testing"
)

func TestTTTableKindOf(t *testing.T) {
	for name, want := range map[string]TTTableKind{
		"tt_profile_log_device.csv": TTDeviceTable, "tt_ops_times.csv": TTHostTable, "tt_ops_data.csv": TTDataTable, "tt_ops_perf_results.csv": TTOpsTable,
		"tt_ops_perf_results_8_devices.csv": TTOpsTable, "small_0112.u.csv": TTNoTable, "small_0112.agg.csv": TTNoTable, "small_0140.tracy": TTNoTable,
	} {
		line, err := bufio.NewReader(ttSample(t, name)).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if got := TTTableKindOf(line); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}
