package params

import (
	"path/filepath"
	"strings"
	"testing"

	"zonemark/invocations/files/faults"
)

// TestInPlaceFaults: a version that was written without links and without an error is there, whatever comes after it.
func TestInPlaceFaults(t *testing.T) {
	f := wormhole(t)
	faults.Each(t, 3, nil, func(folder string) error { return f.writeInPlace(filepath.Join(folder, "params_v1.yaml")) },
		func(folder string, fault faults.Fault, failed error) {
			back, err := ReadFile(filepath.Join(folder, "params_v1.yaml"))
			if failed == nil && (err != nil || string(back.Bytes()) != string(f.Bytes())) {
				t.Errorf("%v: version 1 is not whole: %v", fault, err)
			}
		})
}

// Whatever fails while a version is written, it is there in whole or not at all, and can be written afterwards.
func TestVersionFaults(t *testing.T) {
	f := wormhole(t)
	faults.Each(t, 6, nil, func(folder string) error { return f.WriteVersion(folder, "blackhole", 1) },
		func(folder string, fault faults.Fault, failed error) {
			newest, err := Versions(folder, "blackhole")
			if err != nil || failed == nil && newest != 1 {
				t.Errorf("%v: version %d, %v; the error was %v", fault, newest, err, failed)
			}
			if failed != nil && !fault.Ends() && !strings.Contains(failed.Error(), folder) {
				t.Errorf("%v: the error does not name the file: %v", fault, failed)
			}
			if newest == 0 {
				if err := f.WriteVersion(folder, "blackhole", 1); err != nil {
					t.Errorf("%v: %v", fault, err)
				}
			}
			back, err := ReadFile(VersionFile(folder, "blackhole", 1))
			if err != nil || string(back.Bytes()) != string(f.Bytes()) {
				t.Errorf("%v: version 1 is not whole: %v", fault, err)
			}
			if left, _ := filepath.Glob(filepath.Join(folder, "blackhole", ".*")); len(left) > 0 && !fault.Ends() &&
				!strings.HasPrefix(fault.What, "remove") {
				t.Errorf("%v: left behind: %v", fault, left)
			}
		})
}
