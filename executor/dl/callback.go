package dl

import "github.com/ebitengine/purego"

// Callback returns the address of a C function that calls fn, which takes integers and pointers and returns one integer
// or nothing. The address is never freed, and a process can have about two thousand of them. Callers thus make one for
// each function, never one for each object; the C side must pass an argument that identifies the object. fn runs on the
// thread that calls it and must not panic. Callback panics if fn is another kind of function.
func Callback(fn any) uintptr { return purego.NewCallback(fn) }
