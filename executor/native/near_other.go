//go:build (amd64 || arm64) && !windows && !(linux && amd64)

package native

// nearCode is not done here: the loop calls from where the program's text lies.
func nearCode(uintptr, bool) (code, bool) { return code{}, false }

func (c *code) free() {}
