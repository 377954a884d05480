package platform

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// tasks is the folder with a folder for each thread of this process, named by its number.
const tasks = "/proc/self/task"

// readProc reads a file of the kernel, below an open folder unless the path is absolute. It returns what fits into the
// buffer, and nothing if the file cannot be read. It makes fewer system calls than os.ReadFile, which prepares for files
// on which a read waits.
func readProc(folder int, path string, buffer []byte) []byte {
	fd, err := unix.Openat(folder, path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	n, err := unix.Read(fd, buffer)
	if err != nil {
		return nil
	}
	return buffer[:n]
}

// procNumbers calls visit with each entry of a folder of the kernel that is a number, and with the open folder. Names
// that it has read before an error are visited. It reports whether the folder could be opened.
func procNumbers(path string, visit func(folder, number int)) (opened bool) {
	folder, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(folder)
	var buffer [4 << 10]byte
	names := make([]string, 0, 32)
	for {
		n, err := unix.ReadDirent(folder, buffer[:])
		if err != nil || n <= 0 {
			return true
		}
		_, _, names = unix.ParseDirent(buffer[:n], -1, names[:0])
		for _, name := range names {
			if number, err := strconv.Atoi(name); err == nil {
				visit(folder, number)
			}
		}
	}
}
