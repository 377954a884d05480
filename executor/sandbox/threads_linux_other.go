//go:build linux && !amd64 && !arm64

package sandbox

import (
	"errors"
	"runtime"
)

func otherThreads([]threadCall) error {
	return errors.New("the threads of this process cannot be reached on " + runtime.GOARCH)
}
