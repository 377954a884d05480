package pjrt

import (
	"encoding/hex"
	"testing"
)

func TestCompileOptions(t *testing.T) {
	for _, c := range []struct {
		replicas  int
		overrides []Override
		want      string
	}{
		{1, nil, "1a0420012801"},
		{2, nil, "1a0420022801"},
		{1, []Override{{"b", true}}, "1a0420012801" + "3a070a016212021001"},
		{1, []Override{{"b", false}, {"s", "xy"}}, "1a0420012801" + "3a070a016212021000" + "3a090a017312040a027879"},
		{1, []Override{{"n", int64(300)}}, "1a0420012801" + "3a080a016e120318ac02"},
		{1, []Override{{"n", int64(-1)}}, "1a0420012801" + "3a100a016e120b18ffffffffffffffffff01"},
		{1, []Override{{"d", 0.5}}, "1a0420012801" + "3a0e0a0164120921000000000000e03f"},
	} {
		if got := hex.EncodeToString(CompileOptions(c.replicas, c.overrides)); got != c.want {
			t.Errorf("%d replicas, %v: %s, want %s", c.replicas, c.overrides, got, c.want)
		}
	}
}

func TestPartitionedOptions(t *testing.T) {
	two := []Device{{ID: 3}, {ID: 1}}
	for _, c := range []struct {
		devices []Device
		shardy  bool
		want    string
	}{
		// Build options: replicas 1, partitions 2, SPMD, an assignment of device 3 and 1.
		{two, false, "1a16" + "20012802" + "3001" + "4a0e" + "08011002" + "1a030a0103" + "1a030a0101"},
		{two, true, "1a19" + "20012802" + "3001" + "4a0e" + "08011002" + "1a030a0103" + "1a030a0101" + "980101"},
		{[]Device{{ID: 3}, {ID: -1}}, false, "1a06" + "20012802" + "3001"},
	} {
		options := PartitionedOptions(c.devices, c.shardy, nil)
		if got := hex.EncodeToString(options); got != c.want {
			t.Errorf("%v: %s, want %s", c.devices, got, c.want)
		}
		if replicas, partitions, err := ReadCompileOptions(options); replicas != 1 || partitions != 2 || err != nil {
			t.Errorf("%v: %d replicas, %d partitions, %v", c.devices, replicas, partitions, err)
		}
	}
}

// TestReadCompileOptions checks that written options are read back, and that truncated ones and other messages are
// refused.
func TestReadCompileOptions(t *testing.T) {
	for _, replicas := range []int{1, 4, 300} {
		got, partitions, err := ReadCompileOptions(CompileOptions(replicas, []Override{{"a", "b"}}))
		if got != int64(replicas) || partitions != 1 || err != nil {
			t.Errorf("%d replicas: %d, %d, %v", replicas, got, partitions, err)
		}
	}
	if replicas, partitions, err := ReadCompileOptions(nil); replicas != 0 || partitions != 0 || err != nil {
		t.Errorf("nothing: %d, %d, %v", replicas, partitions, err)
	}
	for _, wrong := range [][]byte{{0x1a}, {0x1a, 4, 0x20}, {0x1a, 2, 0x22, 0}, []byte("text")} {
		if replicas, _, err := ReadCompileOptions(wrong); err == nil {
			t.Errorf("% x: %d replicas", wrong, replicas)
		}
	}
}

func FuzzReadCompileOptions(f *testing.F) {
	f.Add(CompileOptions(2, []Override{{"a", true}, {"b", 0.5}}))
	f.Add([]byte{0x1a, 4, 0x20, 1, 0x28, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		replicas, partitions, err := ReadCompileOptions(data)
		if err == nil && (replicas < 0 || replicas > maxReplicas || partitions < 0 || partitions > maxReplicas) {
			t.Errorf("%d replicas, %d partitions", replicas, partitions)
		}
	})
}
