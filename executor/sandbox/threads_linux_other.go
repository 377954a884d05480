//go:build linux && !amd64 && !arm64

package sandbox

import (
	"errors"
	"runtime"
)

func everyThread([]threadCall) error {
	return errors.New("the threads of this process cannot be reached on " + runtime.GOARCH)
}
