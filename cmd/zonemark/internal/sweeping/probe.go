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
	programs "zonemark/driver/sweep/program"
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

// probe runs a program on the device, so that a device that cannot be used is an error before anything is deleted or
// written. It sets the target, and returns the clock that times are converted with; 0 if none is known.
func (s *Sweep) probe(ctx context.Context, m *measuring.Measurement) (ghz float64, err error) {
	s.target = programs.Target{Runtime: s.Base.Runtime, Options: s.Options(), Device: "cpu", Emulate: s.emulate}
	scratch, err := s.Cache().Scratch()
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(scratch)
	request := s.Base
	request.Name, request.Function = "probe of the device", "main"
	request.Artifact = invocations.Artifact{Path: filepath.Join(scratch, "probe"+s.target.Extension())}
	request.Artifact.Options = s.Options()
	if err := os.WriteFile(request.Artifact.Path, []byte(probeProgram), 0o644); err != nil {
		return 0, fmt.Errorf("probe the device: %w", err)
	}
	requests := []invocations.Invocation{request}
	if err := m.Provide(ctx, requests); err != nil {
		return 0, err
	}
	s.target.Options = requests[0].Artifact.Options // as the runtime completes them
	plan, err := m.Resolve(ctx, requests)
	if err != nil {
		return 0, err
	}
	m.Progress = func(driver.Progress) {
		if s.line.Due() {
			s.line.Draw("trying the device")
		}
	}
	run, err := m.Execute(ctx, plan)
	if err != nil {
		return 0, err
	}
	if run.Records.Len() != 1 {
		return 0, errors.New("probe the device: it gave no result")
	}
	r := run.Records.At(0)
	if r.Status != invocations.OK {
		return 0, fmt.Errorf("the device cannot be used: %s: %s", r.Status,
			report.Printable(strings.TrimPrefix(r.Error, request.Artifact.Path+": ")))
	}
	if platform := strings.ToLower(r.Properties[tt.PropertyPlatform]); platform != "" {
		s.target.Device, s.target.Tenstorrent = platform, platform == platformTT
	}
	return m.ReferenceGHz(run.Environment)
}
