package setup

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/driver/setup/pip"
	"zonemark/driver/setup/python"
)

// The package onnx is that of the folder that a variable names, else that of the user's own environment with IREE, else
// what zonemark installed, if it is for the same Python.
func TestFindONNX(t *testing.T) {
	var none *NotInstalledError
	if _, err := FindONNX(homeOf(t)); !errors.As(err, &none) || none.Component != "iree" {
		t.Errorf("without IREE: error %v", err)
	}

	iree, site := ireePython(t, "3.13.0", "3.13.0")
	o := homeOf(t, PythonVariable, iree)
	if _, err := FindONNX(o); !errors.As(err, &none) || none.Component != "iree-onnx" {
		t.Errorf("without the package: error %v", err)
	}
	own := filepath.Join(t.TempDir(), "own")
	if err := os.MkdirAll(filepath.Join(own, onnxPackage), 0o755); err != nil {
		t.Fatal(err)
	}
	if found, err := FindONNX(homeOf(t, ONNXVariable, own)); err != nil || found != own {
		t.Errorf("by its variable: found %q, error %v", found, err)
	}
	if _, err := FindONNX(homeOf(t, ONNXVariable, site)); err == nil || !strings.Contains(err.Error(), ONNXVariable) {
		t.Errorf("by a wrong variable: error %v", err)
	}
	with := interpreterWith(t, python.Interpreter{Version: "3.59.7", BasePrefix: "/nowhere", Site: site,
		Runtime: packaged("3.13.0", site), Compiler: packaged("3.13.0", site), ONNX: packaged("1.20.0", "/some/site")})
	if found, err := FindONNX(homeOf(t, PythonVariable, with)); err != nil || found != "/some/site" {
		t.Errorf("in the environment with IREE: found %q, error %v", found, err)
	}

	folder, err := onnxComponent().Folder(o)
	if err != nil {
		t.Fatal(err)
	}
	packages := filepath.Join(folder, environmentFolder, "lib", "python3.59", "site-packages")
	if err := os.MkdirAll(filepath.Join(packages, onnxPackage), 0o755); err != nil {
		t.Fatal(err)
	}
	m := Manifest{Name: onnxComponent().Name, Version: onnxVersion, Python: "3.59.1"}
	if err := writeManifest(folder, m); err != nil {
		t.Fatal(err)
	}
	if found, err := FindONNX(o); err != nil || found != packages {
		t.Errorf("installed: found %q, error %v", found, err)
	}
	m.Python = "3.60.0"
	if err := writeManifest(folder, m); err != nil {
		t.Fatal(err)
	}
	if _, err := FindONNX(o); err == nil || !strings.Contains(err.Error(), "--remove iree-onnx") {
		t.Errorf("for another Python: error %v", err)
	}
	if err := os.RemoveAll(packages); err != nil {
		t.Fatal(err)
	}
	if _, err := FindONNX(o); !errors.As(err, &none) || none.Component != "iree-onnx" {
		t.Errorf("damaged: error %v", err)
	}
}

// The requirements pin the package and what it needs, and nothing that must be IREE's own.
func TestONNXRequirements(t *testing.T) {
	all, err := pip.ParseRequirements(onnxRequirements)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range all {
		names = append(names, r.Name)
		if r.Name == onnxPackage && !strings.Contains(r.Text, "=="+onnxVersion+" ") {
			t.Errorf("the pin is %s", r.Text)
		}
	}
	if got := strings.Join(names, " "); got != "ml-dtypes onnx protobuf typing-extensions" {
		t.Errorf("the packages are %s", got)
	}
}
