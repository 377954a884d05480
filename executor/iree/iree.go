// Package iree runs functions of IREE modules (.vmfb, or .mlir, which IREE's compiler turns into one) and single
// dispatches of them. It uses the runtime in one of three ways: through the C API in a shared library, through the
// Python bindings of the wheels with libpython, or without a runtime, by calling the dispatch libraries inside a module
// through their own ABI. If IREE's tools are installed, they record how a module calls its dispatches, and profile it,
// in separate processes.
package iree
