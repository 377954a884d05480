//go:build windows || !(amd64 || arm64)

package capi

import (
	"fmt"
	"runtime"
)

// Supported returns why the runtime cannot be called here.
func Supported() error {
	return fmt.Errorf("zonemark calls the C API on Linux and macOS on x86-64 and arm64 only, not on %s/%s: use "+
		"--provider python",
		runtime.GOOS, runtime.GOARCH)
}

// copyView is never called, since Open fails.
func copyView(uintptr, viewCopy) uintptr { return 0 }
