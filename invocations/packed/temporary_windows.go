package packed

import (
	"errors"
	"os"
)

// temporary returns an error: an open file keeps its name on Windows, and would be left by a process that is killed.
func temporary() (*os.File, error) { return nil, errors.ErrUnsupported }
