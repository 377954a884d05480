package watching

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// held is what processes hold by their descriptors and mappings, besides files that have a name.
type held struct {
	hidden  map[hiddenFile]int64 // sizes of files without a name
	sockets int
	pipes   int
}

// hiddenFile identifies a file that has no name any more, or never had one (memfd_create).
type hiddenFile struct{ device, inode uint64 }

const (
	// freeBuffers is how many sockets, and how many pipes, count as if they held nothing. Those beyond count as full: what
	// is in them, nobody tells.
	freeBuffers = 64
	pipeBytes   = 64 << 10 // of a full pipe (pipe(7)); larger ones are few, see pipe-user-pages-soft
)

// bufferBytes returns how much the buffers of sockets and pipes may hold.
func (h *held) bufferBytes() int64 {
	return int64(max(0, h.sockets-freeBuffers))*socketBytes() + int64(max(0, h.pipes-freeBuffers))*pipeBytes
}

// socketBytes is the size of a full socket: the kernel doubles what a program asks for.
func socketBytes() int64 {
	const usual = 212_992
	text, err := os.ReadFile("/proc/sys/net/core/wmem_max")
	if err != nil {
		return 2 * usual
	}
	n, err := parseCount(bytes.TrimSpace(text))
	if err != nil {
		return 2 * usual
	}
	return 2 * n
}

// look returns what the watched processes hold. Of files that are mapped and not open, only root learns the sizes.
func (w *watch) look() *held {
	h := &held{hidden: map[hiddenFile]int64{}}
	buffers := map[uint64]bool{} // several descriptors may be of one
	for _, process := range w.folders() {
		folder := filepath.Join(process, "fd")
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue
		}
		for _, e := range entries {
			var s syscall.Stat_t
			if syscall.Stat(filepath.Join(folder, e.Name()), &s) != nil {
				continue
			}
			switch kind := s.Mode & syscall.S_IFMT; {
			case kind == syscall.S_IFREG && s.Nlink == 0:
				h.hidden[hiddenFile{uint64(s.Dev), s.Ino}] = s.Blocks * blockBytes
			case kind == syscall.S_IFSOCK && !buffers[s.Ino]:
				buffers[s.Ino] = true
				h.sockets++
			case kind == syscall.S_IFIFO && !buffers[s.Ino]:
				buffers[s.Ino] = true
				h.pipes++
			}
		}
		maps.Copy(h.hidden, mappedFiles(process))
	}
	return h
}

// mappedFiles returns the sizes of files without a name that a process maps.
func mappedFiles(process string) map[hiddenFile]int64 {
	text, err := os.ReadFile(filepath.Join(process, "maps"))
	if err != nil {
		return nil
	}
	files := map[hiddenFile]int64{}
	for _, at := range deletedMappings(text) {
		var s syscall.Stat_t
		if syscall.Stat(filepath.Join(process, "map_files", at), &s) == nil && s.Nlink == 0 {
			files[hiddenFile{uint64(s.Dev), s.Ino}] = s.Blocks * blockBytes
		}
	}
	return files
}

// deletedMappings returns the range of one mapping of each file without a name, by the text of /proc/PID/maps
// (proc_pid_maps(5)), in the form of the names in map_files.
func deletedMappings(text []byte) (ranges []string) {
	seen := map[string]bool{}
	for line := range bytes.Lines(text) {
		fields := strings.Fields(string(line))
		if len(fields) < 7 || fields[len(fields)-1] != "(deleted)" {
			continue
		}
		if file := fields[3] + " " + fields[4]; !seen[file] {
			seen[file] = true
			ranges = append(ranges, withoutZeros(fields[0]))
		}
	}
	return ranges
}

// withoutZeros returns a range without leading zeros, which map_files does not write.
func withoutZeros(at string) string {
	from, to, _ := strings.Cut(at, "-")
	for _, end := range []*string{&from, &to} {
		if n, err := strconv.ParseUint(*end, 16, 64); err == nil {
			*end = strconv.FormatUint(n, 16)
		}
	}
	return from + "-" + to
}
