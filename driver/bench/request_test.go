package bench

import (
	"path/filepath"
	"testing"

	"zonemark/invocations"
)

// The request for a module has its inputs by position, and the outputs that were exported.
func TestExportRequest(t *testing.T) {
	m := Module{
		Role: RoleDevice, Program: "device.mlir", Function: "main", FLOP: 7, Tolerance: Tolerance{Relative: 1e-3},
		Inputs: []Array{{Name: "params/w", Kind: KindWeight, File: "w.npy"}, {Name: "x", Kind: KindInput, File: "x.npy"}},
		// Results behind the first one without a file are not checked.
		Outputs: []Array{{Name: "0", File: "y.npy"}, {Name: "1"}, {Name: "2", File: "z.npy"}},
	}
	folder := t.TempDir()
	x := Export{Manifest: &Manifest{Model: "m", Config: "", Modules: []Module{{Role: RolePre}, m}}, Folder: folder}
	if x.DeviceModule().Role != RoleDevice {
		t.Errorf("%+v", x.DeviceModule())
	}
	inv := x.Request(x.DeviceModule())
	if inv.Name != "m/device" || inv.Function != "main" || inv.FLOP != 7 || inv.Verify.Tolerance != 1e-3 ||
		inv.Artifact.Path != filepath.Join(folder, "device.mlir") || len(inv.Arguments) != 2 {
		t.Fatalf("%+v", inv)
	}
	if a := inv.Arguments[1]; a.Name != "1" || a.Fill != invocations.FillFile || a.Path != filepath.Join(folder, "x.npy") {
		t.Errorf("%+v", a)
	}
	if e := inv.Verify.Expected; len(e) != 1 || e[0] != "@"+filepath.Join(folder, "y.npy") {
		t.Errorf("%q", e)
	}
}
