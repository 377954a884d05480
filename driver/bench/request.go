package bench

import (
	"path/filepath"
	"strconv"
	"strings"

	"zonemark/invocations"
)

// Request returns the request to measure a module of the export: its program, with the exported weights and inputs as
// arguments, and JAX's own results as expected outputs. Runtime, options, measuring and limits are for the caller to
// add.
func (x Export) Request(m *Module) invocations.Invocation {
	name := strings.Join([]string{x.Model, x.Config, m.Role}, "/")
	inv := invocations.Invocation{
		Name: strings.ReplaceAll(name, "//", "/"), Function: m.Function, FLOP: m.FLOP,
		Artifact: invocations.Artifact{Path: filepath.Join(x.Folder, m.Program)},
		Verify:   invocations.Verification{Tolerance: m.Tolerance.Relative},
	}
	for i, a := range m.Inputs {
		inv.Arguments = append(inv.Arguments, invocations.Argument{
			Name:     strconv.Itoa(i),
			Contents: invocations.Contents{Fill: invocations.FillFile, Path: filepath.Join(x.Folder, a.File)},
		})
	}
	for _, a := range m.Outputs {
		if a.File == "" {
			break // further results are not checked
		}
		inv.Verify.Expected = append(inv.Verify.Expected, "@"+filepath.Join(x.Folder, a.File))
	}
	return inv
}

// DeviceModule returns the module that runs on the device.
func (m *Manifest) DeviceModule() *Module {
	for i := range m.Modules {
		if m.Modules[i].Role == RoleDevice {
			return &m.Modules[i]
		}
	}
	return nil // no manifest that was checked lacks it
}
