package pjrt

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
)

// shardingMessage returns an OpSharding as XLA has written it.
func shardingMessage(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestProgramShardings(t *testing.T) {
	// These are of programs that JAX 0.6.2 has split and XLA's plugin for the CPU has compiled.
	rows := shardingMessage(t, "08 03 1a 02 02 02 4a 01 04 52 01 00")
	copies := shardingMessage(t, "08 03 1a 03 02 01 02 30 01 4a 02 02 02 52 02 01 00")
	tuple := shardingMessage(t, "08 02 2a 0f 08 03 1a 03 02 01 02 30 01 4a 01 04 52 01 00 2a 00 "+
		"2a 0e 08 03 1a 02 02 02 4a 02 02 02 52 02 01 00")
	listed := shardingMessage(t, "08 03 1a 01 02 22 02 01 00 42 01 00")
	module := appendBytesField(nil, moduleResultSharding, tuple)
	for _, s := range [][]byte{rows, copies, listed, {}, {8, 4}} {
		module = appendBytesField(module, moduleParameterShardings, s)
	}
	const want = "[{devices=[2,2]<=[4]T(0)} {devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate} " +
		"{devices=[2]1,0 last_tile_dims={replicated}} {replicated} {manual}] " +
		"[{devices=[2,1,2]<=[4]T(0) last_tile_dim_replicate} {replicated} {devices=[2,2]<=[2,2]T(1,0)}]"
	for format, program := range map[string][]byte{
		"hlo":             module,
		"hlo_with_config": appendBytesField(nil, configuredModule, module),
	} {
		s, err := ProgramShardings(program, format)
		if got := fmt.Sprint(s.Arguments, s.Results); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", format, got, err, want)
		}
	}
	for _, c := range []struct {
		program []byte
		format  string
		want    string
	}{
		{module, "mlir", `"mlir"`},
		{module[:len(module)-1], "hlo", "longer than the message"},
		{appendBytesField(nil, moduleParameterShardings, tuple), "hlo", "an argument is a tuple"},
		{appendBytesField(nil, moduleResultSharding, appendBytesField([]byte{8, 2}, shardingTuple, tuple)), "hlo",
			"a tuple of tuples"},
		{appendBytesField(nil, moduleResultSharding, appendBytesField(nil, shardingTiles, []byte{0x80})), "hlo",
			"cut off"},
	} {
		if s, err := ProgramShardings(c.program, c.format); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("% x (%s): %v, error %v, want %q in it", c.program, c.format, s, err, c.want)
		}
	}
}

func FuzzProgramShardings(f *testing.F) {
	f.Add(appendBytesField(nil, moduleResultSharding, []byte{8, 2, 0x2a, 0}))
	f.Add(appendBytesField(nil, moduleParameterShardings, []byte{8, 3, 0x1a, 2, 2, 2, 0x4a, 1, 4, 0x52, 1, 0}))
	f.Fuzz(func(t *testing.T, program []byte) {
		before := bytes.Clone(program)
		s, err := ProgramShardings(program, "hlo")
		if err != nil && (s.Arguments != nil || s.Results != nil) {
			t.Error("an error and shardings")
		}
		if !bytes.Equal(before, program) {
			t.Error("the program was changed")
		}
	})
}
