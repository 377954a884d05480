// Package files replaces files in one step and locks files that several processes write to. It imports nothing of
// zonemark, so that every package may use it; it knows nothing of what the files hold.
//
// Both are our own. github.com/google/renameio does not build for Windows, and github.com/natefinch/atomic gives new
// files no mode but 0600. github.com/gofrs/flock keeps its file to itself, so that the programs that an installation
// starts could not inherit the lock; on Windows, where a lock is on the bytes of a file, it would keep our own writes to
// a locked journal out.
package files
