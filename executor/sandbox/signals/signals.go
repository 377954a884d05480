// Package signals sets the actions of signals as the kernel knows them, past Go's runtime, and ends a process by a
// signal.
package signals
