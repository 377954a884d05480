// Package capi runs functions of IREE modules through the C API of IREE's runtime, in a shared library that exports it
// (libiree_runtime.so, see `zonemark setup iree-capi`), without cgo. It knows devices, modules, buffers, calls and the
// runtime's profiler. It knows nothing of invocations, measuring or what is in a profile.
//
// Layouts and signatures are those of IREE 3.13 (iree/runtime/api.h, iree/vm/api.h, iree/hal/api.h) for 64-bit
// machines. Memory that outlives a call comes from the runtime's own allocator, so no Go memory has to be pinned. Go
// memory that a single call reads or writes is converted to an address in the argument list itself, which keeps it in
// place (see dl.Call).
package capi
