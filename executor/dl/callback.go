package dl

import "github.com/ebitengine/purego"

// Callback is the address of a C function that calls fn, which takes integers and pointers and returns one integer or nothing. It is never freed and a
// process can have about two thousand of them, so one is made for each function, never for each object: what a call is for, the
// C side must say in an argument. fn runs on the thread that calls it and must not panic. Another kind of function is a mistake of the caller and panics.
func Callback(fn any) uintptr { return purego.NewCallback(fn) }
