//go:build linux && !amd64 && !arm64

package threads

import (
	"errors"
	"runtime"
)

func Others([]Call) error {
	return errors.New("the threads of this process cannot be reached on " + runtime.GOARCH)
}
