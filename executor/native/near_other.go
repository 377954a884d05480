//go:build (amd64 || arm64) && !windows && !(linux && amd64)

package native

// nearCode returns false: the loop calls from the program's own text.
func nearCode(uintptr, bool, uint64, ...uintptr) (code, bool) { return code{}, false }

func (c *code) free() {}
