//go:build !unix

package dl

import "errors"

// errOther says that there are no executors on this system, and so nothing that loads libraries.
var errOther = errors.New("libraries are loaded on Linux and macOS only")

// everywhere stands for all libraries of the process.
const everywhere = 0

func open(string) (uintptr, error) { return 0, errOther }

func openGlobal(string) (uintptr, error) { return 0, errOther }

func lookup(uintptr, string) (uintptr, error) { return 0, errOther }

func closeHandle(uintptr) error { return errOther }
