// Package values is about the elements of tensors in memory: filling them with random or given contents, reading .npy
// files, the two 16-bit floating-point formats, and comparing results. It knows nothing of runtimes, of files other
// than .npy, or of how memory is laid out: every buffer is dense and little-endian.
//
// Of zonemark it imports invocations alone, for the element types and contents that suites, the wire and journals
// carry. Whatever may import invocations may import it.
package values
