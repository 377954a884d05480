//go:build windows || !(amd64 || arm64)

package capi

import (
	"fmt"
	"runtime"

	"zonemark/invocations/remedy"
)

// Supported returns why the runtime cannot be called here.
func Supported() error {
	return remedy.With(fmt.Errorf("zonemark calls the C API on Linux and macOS on x86-64 and arm64 only, not on %s/%s",
		runtime.GOOS, runtime.GOARCH), remedy.Remedy{Kind: remedy.Choose, Name: "provider", Value: "python"})
}

// copyView is never called, since Open fails.
func copyView(uintptr, viewCopy) uintptr { return 0 }
