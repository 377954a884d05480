package cfunction

import (
	"fmt"
	"slices"

	"zonemark/executor/dl"
	"zonemark/invocations/lazyregexp"
)

// undefinedSymbol is what loaders say of a symbol that no library defines: glibc's "undefined symbol: expf", musl's
// "expf: symbol not found", and macOS's "symbol not found in flat namespace '_expf'".
var undefinedSymbol = lazyregexp.New(`undefined symbol: ([A-Za-z_]\w*)|([A-Za-z_]\w*): symbol not found|` +
	`symbol not found in flat namespace '_([A-Za-z_]\w*)'`)

// definers are libraries of systems whose symbols people use without linking what they make with them, as Python's ctypes
// allows: Python has loaded them.
var definers = []string{"libm.so.6", "libgomp.so.1", "libomp.so.5", "libstdc++.so.6", "libgfortran.so.5", "libdl.so.2",
	"libpthread.so.0", "librt.so.1", "libm.so"}

// openLibrary opens a library. If a symbol is defined nowhere, it opens a library of the system that defines it, and tries
// again.
func (p *program) openLibrary(path string) (dl.Library, error) {
	for {
		lib, err := dl.OpenOwn(path)
		if err == nil {
			return lib, nil
		}
		names := undefinedSymbol().FindStringSubmatch(err.Error())
		if names == nil {
			return lib, err
		}
		symbol := names[1] + names[2] + names[3]
		if !p.define(symbol) {
			return lib, &undefinedError{symbol, err}
		}
	}
}

// define makes a symbol visible to libraries that are loaded later. It reports whether a library of the system that was
// not open yet defines it.
func (p *program) define(symbol string) bool {
	for _, name := range definers {
		if slices.Contains(p.defining, name) {
			continue
		}
		lib, err := dl.OpenGlobal(name)
		if err != nil {
			continue
		}
		if _, err := lib.Lookup(symbol); err != nil {
			_ = lib.Close() // it was not needed
			continue
		}
		p.dependencies, p.defining = append(p.dependencies, lib), append(p.defining, name)
		p.notes = append(p.notes, fmt.Sprintf("loaded with %s, which defines %s: the library does not name it", name, symbol))
		return true
	}
	return false
}

// undefinedError reports a symbol that neither the library nor what it names defines.
type undefinedError struct {
	symbol string
	err    error
}

func (e *undefinedError) Error() string { return e.err.Error() }
func (e *undefinedError) Unwrap() error { return e.err }

// remedy says what to do about the symbol.
func (e *undefinedError) remedy() string {
	return "link the library with what defines " + e.symbol + " (-lNAME)"
}
