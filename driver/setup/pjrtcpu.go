package setup

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// The pinned release of XLA's PJRT plugin for the CPU, and its library inside the wheel.
const (
	pjrtCPUVersion = "0.0.1"
	pjrtCPUPackage = "xla-cpu-pjrt"
	pjrtCPULibrary = "xla_cpu_pjrt.so"
)

// The variables by which executors, and a user's shell, learn where PJRT plugins are.
const (
	PJRTPluginVariable = "ZONEMARK_PJRT_PLUGIN" // what is taken when nothing is named
	PJRTCPUVariable    = "ZONEMARK_PJRT_CPU"    // XLA's for the CPU
	PJRTTTVariable     = "ZONEMARK_PJRT_TT"     // Tenstorrent's
)

func pjrtCPUComponent() Component { return pjrtCPU().component() }

func pjrtCPU() library {
	return library{file: pjrtCPULibrary, variable: PJRTCPUVariable, row: Component{
		Name:    "pjrt-cpu",
		Version: pjrtCPUVersion,
		Summary: "XLA's PJRT plugin for the CPU, which runs StableHLO where there is no other device",
		Plan:    pjrtCPUWheels().plan(),
		Install: installPJRTCPU,
		Help: Help{
			Example: "the same for StableHLO on the CPU (--runtime tt --plugin cpu)",
			Places:  "PJRT plugins",
		},
	}}
}

// FindPJRTCPU returns the path of XLA's PJRT plugin for the CPU: $ZONEMARK_PJRT_CPU, or the one that zonemark
// installed. It installs nothing: the error is a *NotInstalledError if there is none.
func FindPJRTCPU(o Options) (string, error) { return pjrtCPU().find(o) }

// InstallPJRTCPU finds the plugin as FindPJRTCPU does, and installs it if it is not there. An installation that was
// interrupted goes on.
func InstallPJRTCPU(ctx context.Context, o Options) (string, error) {
	found, err := pjrtCPUComponent().Ensure(ctx, o)
	return found.Place, err
}

// pjrtCPUWheels has the library. Both of its wheels have these sizes within a few megabytes.
func pjrtCPUWheels() wheels {
	return wheels{
		names: pjrtCPUPackage + " " + pjrtCPUVersion, requirements: pjrtCPURequirements,
		downloadBytes: 64_000_000, diskBytes: 260_000_000,
		yourself: fmt.Sprintf("or name a PJRT plugin of your own by --plugin or $%s", PJRTPluginVariable),
	}
}

// installPJRTCPU keeps only the library, which needs no Python.
func installPJRTCPU(ctx context.Context, w *Work) (Manifest, error) {
	if runtime.GOOS != "linux" {
		return Manifest{}, fmt.Errorf("%s is made for Linux only, and this is %s: name a plugin of your own by --plugin or $%s",
			pjrtCPUPackage, runtime.GOOS, PJRTCPUVariable)
	}
	inside := filepath.Join("xla_plugins", "xla_cpu_pjrt", pjrtCPULibrary)
	return pjrtCPUWheels().installFile(ctx, w, inside, pjrtCPULibrary, func(found string) error {
		return os.Rename(found, filepath.Join(w.Folder, pjrtCPULibrary))
	})
}
