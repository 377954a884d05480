//go:build unix

package dl

import "github.com/ebitengine/purego"

// everywhere stands for all libraries of the process.
const everywhere = purego.RTLD_DEFAULT

func open(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func openGlobal(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_GLOBAL)
}

func lookup(handle uintptr, name string) (uintptr, error) { return purego.Dlsym(handle, name) }

func closeHandle(handle uintptr) error { return purego.Dlclose(handle) }
