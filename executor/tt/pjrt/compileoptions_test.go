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
