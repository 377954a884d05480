package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"zonemark/driver/setup/python"
)

// The pinned release of XLA's PJRT plugin for the CPU, its library inside the wheel, and what both of its wheels are
// within a few megabytes.
const (
	pjrtCPUVersion       = "0.0.1"
	pjrtCPUPackage       = "xla-cpu-pjrt"
	pjrtCPULibrary       = "xla_cpu_pjrt.so"
	pjrtCPUDownloadBytes = 64_000_000
	pjrtCPUDiskBytes     = 260_000_000
)

// The variables by which executors, and a user's shell, learn where PJRT plugins are.
const (
	PJRTPluginVariable = "ZONEMARK_PJRT_PLUGIN" // what is taken when nothing is named
	PJRTCPUVariable    = "ZONEMARK_PJRT_CPU"    // XLA's for the CPU
	PJRTTTVariable     = "ZONEMARK_PJRT_TT"     // Tenstorrent's
)

func pjrtCPUComponent() Component {
	return Component{
		Name:    "pjrt-cpu",
		Version: pjrtCPUVersion,
		Summary: "XLA's PJRT plugin for the CPU, which runs StableHLO where there is no other device",
		Plan: fmt.Sprintf("installing %s %s (about %d MB to download, %d MB on disk)",
			pjrtCPUPackage, pjrtCPUVersion, pjrtCPUDownloadBytes/1_000_000, pjrtCPUDiskBytes/1_000_000),
		Install:  installPJRTCPU,
		Find:     foundLibrary(PJRTCPUVariable, FindPJRTCPU),
		Existing: namedLibrary("pjrt-cpu", PJRTCPUVariable, FindPJRTCPU),
		Help: Help{
			Example: "the same for StableHLO on the CPU (--runtime tt --plugin cpu)",
			Places:  "PJRT plugins",
		},
		Broken: func(folder string, m Manifest) string { return brokenLibrary(folder, pjrtCPULibrary, m) },
	}
}

// FindPJRTCPU returns the path of XLA's PJRT plugin for the CPU: $ZONEMARK_PJRT_CPU, or the one that zonemark
// installed. It installs nothing: the error is a *NotInstalledError if there is none.
func FindPJRTCPU(o Options) (string, error) {
	return findLibrary(o, pjrtCPUComponent(), pjrtCPULibrary, PJRTCPUVariable)
}

// InstallPJRTCPU finds the plugin as FindPJRTCPU does, and installs it if it is not there. An installation that was
// interrupted goes on.
func InstallPJRTCPU(ctx context.Context, o Options) (string, error) {
	return installLibrary(ctx, o, pjrtCPUComponent(), FindPJRTCPU)
}

// installPJRTCPU unpacks the wheel in a separate environment and keeps only the library, which needs no Python.
func installPJRTCPU(ctx context.Context, w *Work) (Manifest, error) {
	if runtime.GOOS != "linux" {
		return Manifest{}, fmt.Errorf(
			"%s is made for Linux only, and this is %s: name a plugin of your own by --plugin or $%s",
			pjrtCPUPackage,
			runtime.GOOS,
			PJRTCPUVariable,
		)
	}
	base, err := w.Options.baseFor(python.Newest)
	if err != nil {
		return Manifest{}, err
	}
	set := wheels{
		requirements:  pjrtCPURequirements,
		downloadBytes: pjrtCPUDownloadBytes,
		diskBytes:     pjrtCPUDiskBytes,
		yourself:      fmt.Sprintf("or name a PJRT plugin of your own by --plugin or $%s", PJRTPluginVariable),
	}
	artifacts, err := set.install(ctx, w, base)
	if err != nil {
		return Manifest{}, err
	}
	venv := filepath.Join(w.Folder, environmentFolder)
	found, err := filepath.Glob(
		filepath.Join(venv, "lib", "python*", "site-packages", "xla_plugins", "xla_cpu_pjrt", pjrtCPULibrary),
	)
	if err != nil || len(found) != 1 {
		return Manifest{}, errors.Join(
			fmt.Errorf("%s is not in %s, though pip installed it: %d places", pjrtCPULibrary, venv, len(found)),
			err,
		)
	}
	library, err := describeFile(found[0])
	if err != nil {
		return Manifest{}, err
	}
	if err := os.Rename(found[0], filepath.Join(w.Folder, pjrtCPULibrary)); err != nil {
		return Manifest{}, err
	}
	return Manifest{Artifacts: append(artifacts, library)}, removeAll(venv)
}
