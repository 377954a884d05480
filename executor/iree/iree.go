// Package iree runs functions of IREE modules (.vmfb, or .mlir, which IREE's compiler turns into one). A provider calls
// them by IREE's runtime: through the C API in a shared library, or through the Python bindings of the wheels with
// libpython. Single dispatches are measured by package dispatchmode, without a runtime. If IREE's tools are installed,
// they profile a module, and record how it calls its dispatches, in separate processes.
package iree
