//go:build windows || !(amd64 || arm64)

package capi

import (
	"fmt"
	"runtime"
)

// Supported says why the runtime cannot be called here, nil when it can.
func Supported() error {
	return fmt.Errorf("zonemark calls the C API on Linux and macOS on x86-64 and arm64 only, not on %s/%s: use --provider python",
		runtime.GOOS, runtime.GOARCH)
}

// copyView is never called: Open has failed.
func copyView(uintptr, viewCopy) uintptr { return 0 }
