package dl

import (
	"errors"
	"fmt"
	"strings"
)

// Symbol is a function or an object that a caller needs from a library.
type Symbol struct {
	Name     string
	Address  *uintptr // where Resolve stores its address
	Optional bool     // it may be missing; the address then stays as it is
}

// MissingError lists the symbols that a library lacks.
type MissingError struct {
	Names []string
	Err   error // of the last one
}

// Error names the symbols.
func (e *MissingError) Error() string {
	return fmt.Sprintf("it lacks %s: %v", strings.Join(e.Names, ", "), e.Err)
}

// Unwrap returns the loader's own error.
func (e *MissingError) Unwrap() error { return e.Err }

// Resolve finds symbols by lookup, usually (Library).Lookup. The error is a *MissingError with all symbols that are
// missing and not optional.
func Resolve(lookup func(name string) (uintptr, error), symbols []Symbol) error {
	var missing MissingError
	for _, s := range symbols {
		p, err := lookup(s.Name)
		if err == nil && p == 0 {
			err = fmt.Errorf("%s: %w", s.Name, errZero)
		}
		if err == nil {
			*s.Address = p
		} else if !s.Optional {
			missing.Names, missing.Err = append(missing.Names, s.Name), err
		}
	}
	if missing.Names != nil {
		return &missing
	}
	return nil
}

var errZero = errors.New("its address is zero")
