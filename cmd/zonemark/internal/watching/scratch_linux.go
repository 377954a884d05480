package watching

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// scratchBytes returns the size of all files that the process may have written, as far as they can be read.
func (w *watch) scratchBytes() (total int64) {
	_ = filepath.WalkDir(w.limits.Scratch, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == w.limits.Except { // native code may remove files meanwhile
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return nil
		}
		if s, ok := info.Sys().(*syscall.Stat_t); ok {
			total += s.Blocks * blockBytes
		}
		if info.IsDir() && info.Mode()&listable != listable {
			openFolder(w.limits.Scratch, path)
		}
		return nil
	})
	return total
}

// blockBytes is the unit of st_blocks (inode(7)).
const blockBytes = 512

// listable are the modes of a folder that its owner can list with all that is in it.
const listable = 0o500

// openFolder lets this process list a folder below another one, of which native code has taken the modes for that: files
// there would not count. It follows no links, since native code may put one there meanwhile.
func openFolder(scratch, path string) {
	below, err := filepath.Rel(scratch, path)
	if err != nil {
		return
	}
	top, err := unix.Open(scratch, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(top)
	folder, err := unix.Openat2(top, below, &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
	})
	if err != nil {
		return
	}
	defer unix.Close(folder)
	_ = os.Chmod(fmt.Sprintf("/proc/self/fd/%d", folder), 0o700) // it may belong to another user
}
