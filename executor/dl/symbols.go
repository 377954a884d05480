package dl

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

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

// Fill finds symbols by lookup, usually (Library).Lookup, and stores their addresses in the fields of a struct, which is
// behind a pointer, and in those of structs that it embeds. A field of type uintptr is for the symbol that its tag names:
// `c:"NAME"`, or `c:"NAME,optional"` for one that may be missing, whose field then stays as it is. The error is a
// *MissingError with all symbols that are missing and not optional.
func Fill(lookup func(name string) (uintptr, error), addresses any) error {
	var missing MissingError
	fill(lookup, reflect.ValueOf(addresses).Elem(), &missing)
	if missing.Names != nil {
		return &missing
	}
	return nil
}

func fill(lookup func(name string) (uintptr, error), fields reflect.Value, missing *MissingError) {
	for i := range fields.NumField() {
		field := fields.Type().Field(i)
		if field.Anonymous && field.Type.Kind() == reflect.Struct {
			fill(lookup, fields.Field(i), missing)
			continue
		}
		name, optional := strings.CutSuffix(field.Tag.Get("c"), ",optional")
		if name == "" {
			continue
		}
		p, err := lookup(name)
		if err == nil && p == 0 {
			err = fmt.Errorf("%s: %w", name, errZero)
		}
		if err == nil {
			*(*uintptr)(fields.Field(i).Addr().UnsafePointer()) = p
		} else if !optional {
			missing.Names, missing.Err = append(missing.Names, name), err
		}
	}
}

var errZero = errors.New("its address is zero")
