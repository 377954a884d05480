// Package values handles the elements of tensors in memory: it fills them with random or given contents, reads .npy
// files, converts the two 16-bit floating-point formats, and compares results. It knows nothing of runtimes, of files
// other than .npy, or of how memory is laid out: every buffer is dense and little-endian.
//
// Of zonemark's packages it imports only invocations, for the element types and contents that suites, the wire and
// journals carry. Every package that may import invocations may import it.
package values
