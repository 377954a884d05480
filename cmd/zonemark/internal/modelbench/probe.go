package modelbench

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"zonemark/driver"
	"zonemark/driver/bench"
	"zonemark/invocations"
	"zonemark/invocations/files"
)

// settle finds out about the devices of hosts, and decides what the flags mean on each of them.
func (t *target) settle(ctx context.Context, hosts []*target) error {
	found, err := t.findDevices(ctx, hosts)
	if err != nil {
		return err
	}
	for i, t := range hosts {
		device := found[i]
		t.choices, err = t.options.Settle(device)
		t.record.Args = t.options
		t.record.SetDevice(device)
		for flag, why := range t.choices.NotApplied {
			t.record.NotApplied(flag, why)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// probeProgram is a program that finds out about a device before anything is exported for it.
const probeProgram = `module @probe {
  func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {
    return %arg0 : tensor<f32>
  }
}
`

// findDevices runs a small program on the device of each host to learn about it.
func (t *target) findDevices(ctx context.Context, hosts []*target) (list []bench.Device, err error) {
	folder, err := t.cache().Folder("probe") // always the same one, so that what is built of it is found again
	if err != nil {
		return nil, err
	}
	path := filepath.Join(folder, "probe.mlir")
	if err := files.Write(path, 0o644, []byte(probeProgram)); err != nil {
		return nil, fmt.Errorf("probe the device: %w", err)
	}
	probe := invocations.Invocation{
		Name: "probe of the device", Runtime: t.backend.name, Function: "main",
		Artifact: invocations.Artifact{Path: path, Options: t.backend.artifactOptions(t, 1)},
		Arguments: []invocations.Argument{
			{Name: "0", Contents: invocations.Contents{Fill: invocations.FillZeros}},
		},
		Measure: invocations.Measure{Mode: invocations.Warm, CPU: -1, CheckOnly: true}, Limits: t.Base.Limits,
	}
	requests := []invocations.Invocation{probe}
	if err := t.provide(ctx, requests); err != nil {
		return nil, err
	}
	planned, err := t.plan(ctx, requests)
	if err != nil {
		return nil, unusable(err.Error(), path)
	}
	m := t.session()
	m.Journal = driver.JournalFile{} // what a probe finds is no result
	done, err := t.execute(ctx, m, planned)
	if err != nil {
		return nil, err
	}
	for _, t := range hosts {
		device, err := t.deviceOf(&done.of[t.host][0], path)
		if err != nil && t.Spread {
			err = fmt.Errorf("host %s: %w", t.record.MachineName, err)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, device)
	}
	return list, nil
}

// deviceOf reads what the probe, at path, has found out about the device.
func (t *target) deviceOf(r *invocations.Record, path string) (bench.Device, error) {
	if r.Status != invocations.OK {
		return bench.Device{}, unusable(string(r.Status)+": "+strings.TrimPrefix(r.Error, path+": "), path)
	}
	device, err := t.backend.device(t, r)
	if err != nil {
		return device, err
	}
	if device.Chips = t.options.Chips; device.Chips == 0 {
		device.Chips = device.Available
	}
	if device.Chips > device.Available {
		return device, &bench.Error{Text: fmt.Sprintf("--chips %d: %s has %d; 0 stands for all",
			device.Chips, device.Plugin, device.Available)}
	}
	return device, nil
}

// unusable returns the error for a device that cannot run the probe, whose path the reason may begin with.
func unusable(why, path string) error {
	return &notOKError{fmt.Errorf("the device cannot be used: %s", strings.TrimPrefix(why, path+": "))}
}
