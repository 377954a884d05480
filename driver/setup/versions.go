package setup

import (
	"fmt"

	"zonemark/driver/setup/python"
)

// The pinned release of IREE, and the releases that zonemark can use.
const (
	ireeVersion                = "3.13.0"
	ireeMajor                  = 3
	oldestIREE, newestIREE     = 8, 13
	ireeRuntime, ireeCompiler  = "iree-base-runtime", "iree-base-compiler"
	supportedIREE              = "3.8 to 3.13"
	ireePins                   = ireeRuntime + "==" + ireeVersion + " " + ireeCompiler + "==" + ireeVersion
	oldestExecutableLibraryABI = "0.6" // ABI of the library inside a module, since release 3.8
)

// checkIREE returns an error if the IREE packages of an interpreter cannot be used, or not together. The interpreter
// has the runtime's package.
func checkIREE(p python.Interpreter) error {
	remedy := fmt.Sprintf(
		"\"%s -m pip install %s\" brings what fits; or leave this Python out, and zonemark uses its own",
		p.Executable,
		ireePins,
	)
	major, lesser, ok := python.Minor(p.Runtime.Version)
	if !ok || major != ireeMajor || lesser < oldestIREE || lesser > newestIREE {
		return fmt.Errorf("%s: %s %s is there, and %s are supported (executable library ABI %s): %s",
			p.Executable, ireeRuntime, p.Runtime.Version, supportedIREE, oldestExecutableLibraryABI, remedy)
	}
	if p.Compiler == nil {
		return nil
	}
	if m, l, ok := python.Minor(p.Compiler.Version); !ok || m != major || l != lesser {
		return fmt.Errorf(
			"%s: %s %s and %s %s are there, and what the one compiles the other may not run; they must be of the "+
				"same release: %s",
			p.Executable,
			ireeCompiler,
			p.Compiler.Version,
			ireeRuntime,
			p.Runtime.Version,
			remedy,
		)
	}
	return nil
}
