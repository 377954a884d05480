package dl

import "golang.org/x/sys/windows"

// open lets the library find its own dependencies in its folder if the path is absolute.
func open(path string) (uintptr, error) {
	flags := uintptr(0)
	if len(path) > 1 && path[1] == ':' {
		flags = windows.LOAD_WITH_ALTERED_SEARCH_PATH
	}
	h, err := windows.LoadLibraryEx(path, 0, flags)
	return uintptr(h), err
}

func openGlobal(path string) (uintptr, error) { return open(path) }

func lookup(handle uintptr, name string) (uintptr, error) {
	return windows.GetProcAddress(windows.Handle(handle), name)
}

func closeHandle(handle uintptr) error { return windows.FreeLibrary(windows.Handle(handle)) }
