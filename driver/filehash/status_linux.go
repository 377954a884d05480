package filehash

import (
	"io/fs"
	"syscall"
)

// status returns the inode of a file and the time of its last change in nanoseconds.
func status(info fs.FileInfo) (inode uint64, changedNS int64) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return s.Ino, s.Ctim.Nano()
}
