// Package releases knows which modules the releases of IREE's runtime run.
package releases

import (
	"fmt"
	"strings"

	"zonemark/executor/iree/vmfb"
)

// runtimeVersions holds the versions of what a release of IREE's runtime runs.
type runtimeVersions struct {
	release  string // "3.13.0"
	bytecode vmfb.BytecodeVersion
	library  uint32 // interface of executable libraries: n of "0.n"; the release runs no other
}

// versionsOf returns the versions of a release, and false if they are not known.
func versionsOf(release string) (runtimeVersions, bool) {
	for prefix, v := range map[string]runtimeVersions{
		"3.13.": {bytecode: vmfb.BytecodeVersion{Major: 17}, library: 6},
		"3.6.":  {bytecode: vmfb.BytecodeVersion{Major: 15}, library: 5},
	} {
		if strings.HasPrefix(release, prefix) {
			v.release = release
			return v, true
		}
	}
	return runtimeVersions{}, false
}

// check returns an error that says which parts of a module the release does not run, with both versions, and what to do
// about it. Libraries for other machines do not matter.
func (v runtimeVersions) check(m *vmfb.Module) error {
	var differs []string
	if m.Check(v.bytecode) != nil {
		differs = append(differs, fmt.Sprintf("its bytecode has version %s and the runtime runs version %s",
			m.Bytecode, v.bytecode))
	}
	for _, l := range m.Libraries {
		if l.Machine != vmfb.Here || l.ABI == 0 {
			continue
		}
		if l.ABI != v.library {
			differs = append(differs, fmt.Sprintf("its dispatch library %s has interface version 0.%d and the "+
				"runtime calls version 0.%d", l.Name, l.ABI, v.library))
		}
	}
	if differs == nil {
		return nil
	}
	return fmt.Errorf("IREE %s: %s", v.release, strings.Join(differs, ", "))
}

// Unfit returns why a runtime of a version does not run a module, nil if it does or if the version is not known.
func Unfit(m *vmfb.Module, version string) error {
	if runs, known := versionsOf(version); known {
		return runs.check(m)
	}
	return nil
}
