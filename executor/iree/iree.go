// Package iree runs functions of IREE modules (.vmfb, or .mlir that IREE's compiler makes one of) and single dispatches of them. It drives the runtime in one of three ways: through the C API
// in a shared library, through the Python bindings of the wheels by libpython, or without a runtime at all, calling the dispatch libraries
// inside a module by their own ABI. Where IREE's tools are there, they record how a module calls its dispatches and profile it, in processes of their own.
package iree
