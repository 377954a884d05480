package sweeping

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/driver"
	"zonemark/driver/report"
	"zonemark/executor/tt"
	"zonemark/invocations"
)

// probeProgram is a small program. It is run once before a sweep, which tells what device there is.
const probeProgram = `module @probe {
  func.func public @main(%arg0: tensor<32x32xf32>) -> tensor<32x32xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<32x32xf32>
    return %0 : tensor<32x32xf32>
  }
}
`

// platformTT is what Tenstorrent's plugin calls its devices.
const platformTT = "tt"

// probe runs a program on the device of each runtime, so that a device that cannot be used is an error before anything
// is deleted or written. It sets the targets, and returns the clock that times are converted with; 0 if none is known.
func (s *Sweep) probe(ctx context.Context, m *measuring.Measurement) (ghz float64, err error) {
	scratch, err := s.Cache().Scratch()
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(scratch)
	var requests []invocations.Invocation
	for _, side := range s.sides {
		request := s.Base
		request.Runtime = side.target.Runtime
		request.Name, request.Function = "probe of the device", "main"
		if s.several() {
			request.Name = nameOn(request.Name, request.Runtime)
		}
		request.Artifact = invocations.Artifact{Path: filepath.Join(scratch, "probe"+side.target.Extension())}
		request.Artifact.Options = side.target.Options
		if err := os.WriteFile(request.Artifact.Path, []byte(probeProgram), 0o644); err != nil {
			return 0, fmt.Errorf("probe the device: %w", err)
		}
		requests = append(requests, request)
	}
	if err := m.Provide(ctx, requests); err != nil {
		return 0, err
	}
	for i, side := range s.sides {
		side.target.Options = requests[i].Artifact.Options // as the runtime completes them
	}
	plan, err := m.Resolve(ctx, requests)
	if err != nil {
		return 0, err
	}
	m.Progress = func(driver.Progress) {
		if s.line.Due() {
			s.line.Draw("trying the device")
		}
	}
	devices := devicesOfHosts{}
	m.Part = devices.add
	defer func() { m.Part = nil }()
	run, err := m.Execute(ctx, plan)
	defer func() { _ = run.Records.Close() }() // they are there with an error, too
	if err != nil {
		return 0, err
	}
	if run.Records.Len() != len(s.sides) {
		return 0, errors.New("probe the device: it gave no result")
	}
	for i, side := range s.sides {
		r, err := run.Records.At(i)
		if err != nil {
			return 0, err
		}
		if err := side.settle(r, requests[i].Artifact.Path); err != nil {
			if s.several() {
				err = fmt.Errorf("--runtime %s: %w", side.target.Runtime, err)
			}
			return 0, err
		}
		if err := devices.check(i); err != nil {
			return 0, err
		}
	}
	return m.ReferenceGHz(run.Environment)
}

// devicesOfHosts are the results of the probe by their positions in its plan, one of each host.
type devicesOfHosts map[int][]*invocations.Record

func (d devicesOfHosts) add(_, position int, r *invocations.Record) {
	d[position] = append(d[position], r)
}

// check returns an error if hosts have different devices, so that the same program says nothing of their difference.
func (d devicesOfHosts) check(position int) error {
	for _, r := range d[position] {
		if first := d[position][0]; platformOf(r) != platformOf(first) {
			return fmt.Errorf("host %s has a device of %s, and host %s one of %s; --spread compares hosts with equal devices",
				first.Host, platformOf(first), r.Host, platformOf(r))
		}
	}
	return nil
}

// platformOf returns what the runtime of a result calls its devices; empty if it does not tell.
func platformOf(r *invocations.Record) string {
	return strings.ToLower(r.Properties[tt.PropertyPlatform])
}

// settle reads what the probe, at path, has found out about the device.
func (d *side) settle(r *invocations.Record, path string) error {
	if r.Status != invocations.OK {
		return fmt.Errorf("the device cannot be used: %s: %s", r.Status,
			report.Printable(strings.TrimPrefix(r.Error, path+": ")))
	}
	if platform := platformOf(r); platform != "" {
		d.target.Device, d.target.Tenstorrent = platform, platform == platformTT
	}
	return nil
}
