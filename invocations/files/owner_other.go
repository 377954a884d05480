//go:build !linux

package files

// ownerRuns reports whether the process that has locked a file runs. This system does not tell.
func ownerRuns(File) bool { return true }
