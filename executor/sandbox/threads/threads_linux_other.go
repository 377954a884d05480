//go:build linux && !amd64 && !arm64

package threads

import (
	"errors"
	"fmt"
	"runtime"
)

func Others([]Call) error {
	return fmt.Errorf("the threads of this process cannot be reached on %s: %w", runtime.GOARCH, errors.ErrUnsupported)
}
