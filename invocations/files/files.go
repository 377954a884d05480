// Package files has what survives a kill: lines that are appended (Append), documents that are replaced in one step
// (Replace) or changed by several processes (Update), and locks. It imports nothing of zonemark, so that every package
// may use it; it knows nothing of what the files hold. Tests replace the operating system with one that fails (System).
//
// The code for both is zonemark's own. github.com/google/renameio does not build for Windows, and
// github.com/natefinch/atomic can give new files only the mode 0600. github.com/gofrs/flock does not give access to its
// open file, so programs that an installation starts could not inherit the lock. On Windows a lock covers the bytes of
// a file, so it would block zonemark's own writes to a locked journal.
package files
