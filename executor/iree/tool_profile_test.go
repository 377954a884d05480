package iree

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/driver/setup/setuptest"
	"zonemark/executor"
	"zonemark/executor/iree/tensor"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
	"zonemark/invocations/testneeds"
)

// unconfined starts tools as they are. Confining them is the task of the command.
func unconfined(ctx context.Context, folder, path string, args ...string) (*executor.Tool, error) {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = folder
	return &executor.Tool{Cmd: cmd}, nil
}

// toolInstallation returns an installation with IREE's tools.
func toolInstallation(t *testing.T) Installation {
	t.Helper()
	in := InstallationFrom(setuptest.Getenv)
	if in.Tools == "" {
		testneeds.Missing(t, errors.New("IREE's tools are not here: \"zonemark setup iree\" installs them"))
	}
	return in
}

// TestRecordCalls profiles a module with the real tool on every device: each call has its dispatches, and they sum to
// the call's time.
func TestRecordCalls(t *testing.T) {
	in := toolInstallation(t)
	const calls = 12
	for _, options := range []map[string]string{
		nil,
		{optionDevice: "local-task"},
		{optionDevice: "local-task", optionTaskThreads: "2"},
	} {
		inv := mlpInvocation(t)
		inv.Artifact.Options = options
		p, err := Runtime{in}.Record(t.Context(), inv, calls, t.TempDir(), unconfined)
		if err != nil {
			t.Fatalf("%v: %v", options, err)
		}
		if len(p.Dispatches) != 3 || p.Partial || p.CallNS <= 0 || p.HostNS < 0 || p.GapNS < 0 {
			t.Fatalf("%v: %+v", options, p)
		}
		for i, d := range p.Dispatches {
			if d.Count != calls || d.Ordinal != i || !strings.HasPrefix(d.Name, "mlp_dispatch_") ||
				d.Workgroups != []int{16, 16, 8}[i] || d.MinNS <= 0 || d.MinNS > d.MedianNS {
				t.Errorf("%v: %+v", options, d)
			}
		}
	}
}

// mlpInvocation returns a call of the perceptron of testdata.
func mlpInvocation(t *testing.T) *invocations.Invocation {
	t.Helper()
	inv := &invocations.Invocation{Function: "mlp", Artifact: invocations.Artifact{Path: sample("mlp.vmfb")}}
	for _, text := range []string{"64x256xf32", "256x512xf32", "512x128xf32"} {
		a, err := invocations.ParseTensor(text)
		if err != nil {
			t.Fatal(err)
		}
		inv.Arguments = append(inv.Arguments, a)
	}
	return inv
}

func TestRecordErrors(t *testing.T) {
	in := toolInstallation(t)
	for name, c := range map[string]struct {
		edit func(*invocations.Invocation, *Installation)
		want string
	}{
		"no function": {func(inv *invocations.Invocation, _ *Installation) { inv.Function = "mlq" },
			`did you mean "mlp"`},
		"too few inputs": {func(inv *invocations.Invocation, _ *Installation) { inv.Arguments = inv.Arguments[:2] },
			"2 inputs are given and mlp takes 3"},
		"another shape": {func(inv *invocations.Invocation, _ *Installation) {
			inv.Arguments[0].Shape = []int64{64, 255}
		}, "iree-benchmark-module"},
		"no module": {func(inv *invocations.Invocation, _ *Installation) { inv.Artifact.Path = "none.vmfb" },
			"none.vmfb"},
		"another version": {func(inv *invocations.Invocation, _ *Installation) {
			inv.Artifact.Path = sample("tiny_3.6.vmfb")
		}, "version"},
		"tools are gone": {func(_ *invocations.Invocation, in *Installation) { in.Tools = "nowhere" },
			"reinstall iree"},
		"no tools": {func(_ *invocations.Invocation, in *Installation) { in.Tools = "" }, "not installed"},
		"unknown device": {func(inv *invocations.Invocation, _ *Installation) {
			inv.SetOption(optionDevice, "local-none")
		}, "local-none"},
		"threads of no-one": {func(inv *invocations.Invocation, _ *Installation) {
			inv.SetOption(optionTaskThreads, "2")
		}, "only the device local-task"},
	} {
		inv, with := mlpInvocation(t), in
		c.edit(inv, &with)
		_, err := Runtime{with}.Record(t.Context(), inv, 2, t.TempDir(), unconfined)
		if err == nil || !strings.Contains(remedy.Told(err, nil), c.want) {
			t.Errorf("%s: error %v, want %q in it", name, err, c.want)
		}
		if err != nil && strings.ContainsRune(err.Error(), '\n') {
			t.Errorf("%s: an error of several lines: %v", name, err)
		}
	}
}

func TestScalarText(t *testing.T) {
	le := binary.LittleEndian
	for want, c := range map[string]tensor.Tensor{
		"-3":                   {Element: invocations.Int8, Data: []byte{0xfd}},
		"253":                  {Element: invocations.Uint8, Data: []byte{0xfd}},
		"1":                    {Element: invocations.Bool, Data: []byte{1}},
		"-2":                   {Element: invocations.Int16, Data: le.AppendUint16(nil, 0xfffe)},
		"4294967295":           {Element: invocations.Uint32, Data: le.AppendUint32(nil, 0xffffffff)},
		"-8589934592":          {Element: invocations.Int64, Data: le.AppendUint64(nil, 0xfffffffe00000000)},
		"18446744073709551615": {Element: invocations.Uint64, Data: le.AppendUint64(nil, 1<<64-1)},
		"48128":                {Element: invocations.Float16, Data: le.AppendUint16(nil, 0xbc00)}, // its bits
		"1.0e+00":              {Element: invocations.Float32, Data: le.AppendUint32(nil, 0x3f800000)},
		"-2.5e-01":             {Element: invocations.Float64, Data: le.AppendUint64(nil, 0xbfd0000000000000)},
	} {
		c.Scalar = true
		if got, err := toolInput(t.TempDir(), 0, &c); got != want || err != nil {
			t.Errorf("%s: %q, error %v; want %q", c.Element, got, err, want)
		}
	}
	for _, c := range []tensor.Tensor{
		{Element: invocations.Int32, Data: []byte{1}},
	} {
		if got, err := scalarText(&c); err == nil {
			t.Errorf("%s of %d bytes: %q", c.Element, len(c.Data), got)
		}
	}
	folder := t.TempDir()
	input := &tensor.Tensor{Element: invocations.BFloat16, Shape: []int64{1, 2}, Data: []byte{1, 2, 3, 4}}
	if got, err := toolInput(folder, 3, input); got != "1x2xbf16=@input3.bin" || err != nil {
		t.Errorf("%q, error %v", got, err)
	}
	input.Storage = true
	if got, err := toolInput(folder, 3, input); got != "&1x2xbf16=@input3.bin" || err != nil {
		t.Errorf("%q, error %v", got, err)
	}
	if data, err := os.ReadFile(filepath.Join(folder, "input3.bin")); string(data) != "\x01\x02\x03\x04" || err != nil {
		t.Errorf("%q, error %v", data, err)
	}
}
