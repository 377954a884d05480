//go:build unix && !linux

package hosting

import "errors"

// closeRange is a call of Linux.
func closeRange(uint) error { return errors.ErrUnsupported }
