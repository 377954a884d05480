// Package filehash identifies files by their content. It hashes each file once and stores the hashes of big files on
// disk. A plugin or the weights of a model have hundreds of megabytes, and a run must not wait for their hashes each
// time. It does not know what files are for.
package filehash

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"zonemark/invocations/files"
)

const (
	// bigBytes is the least size of a file whose hash is remembered. Reading that much takes a tenth of a second.
	bigBytes = 64 << 20
	// settled is the time that must pass after the last change of a file before its hash is remembered. Some file
	// systems store times in steps of one or two seconds, so a change soon afterwards could leave the time stamp as it
	// was.
	settled = 3 * time.Second
)

// Hasher hashes files. It is not safe for use by several goroutines.
type Hasher struct {
	folder string
	least  int64             // least size in bytes of a file whose hash is remembered
	known  map[string]string // by path
}

// New returns a Hasher that stores the hashes of big files in a folder, which it creates if it is missing. If the name
// is empty, the Hasher stores nothing on disk.
func New(folder string) *Hasher {
	return &Hasher{folder: folder, least: bigBytes, known: map[string]string{}}
}

// remembered is what is stored about a file: its hash, and the size and time that show whether the file is still the
// same.
type remembered struct {
	Path    string `json:"path"`
	Size    int64  `json:"size"`
	ModTime int64  `json:"modified_ns"`
	// Inode and Changed are where the file is and when its content or attributes changed last; 0 if the system does not
	// tell. A program can set ModTime, but not Changed.
	Inode   uint64 `json:"inode,omitempty"`
	Changed int64  `json:"changed_ns,omitempty"`
	SHA256  string `json:"sha256"`
}

// SHA256 returns the hash of a file's content in hexadecimal digits. The error names the file. A failure to store the
// hash is ignored; the file is then hashed again the next time.
func (h *Hasher) SHA256(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if sum, ok := h.known[path]; ok {
		return sum, nil
	}
	before, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !before.Mode().IsRegular() {
		return "", fmt.Errorf("%s: not a file", path)
	}
	big := h.folder != "" && before.Size() >= h.least
	if big {
		if sum := h.recall(path, before); sum != "" {
			h.known[path] = sum
			return sum, nil
		}
	}
	sum, _, err := files.SHA256(path)
	if err != nil {
		return "", err
	}
	h.known[path] = sum
	after, err := os.Stat(path)
	if big && err == nil && same(before, after) && time.Since(after.ModTime()) > settled {
		r := describe(path, after)
		r.SHA256 = sum
		_ = h.remember(r) // a failure costs only time
	}
	return sum, nil
}

func same(a, b fs.FileInfo) bool { return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) }

// place returns the path of the file that stores the hash of path.
func (h *Hasher) place(path string) string {
	name := sha256.Sum256([]byte(path))
	return filepath.Join(h.folder, hex.EncodeToString(name[:16])+".json")
}

// recall returns the remembered hash of a file, "" if there is none or if the file has changed.
func (h *Hasher) recall(path string, info fs.FileInfo) string {
	data, err := files.Read(h.place(path))
	if err != nil {
		return ""
	}
	var r remembered
	if json.Unmarshal(data, &r) != nil {
		return ""
	}
	sum := r.SHA256
	if r.SHA256 = ""; r != describe(path, info) {
		return ""
	}
	if bytes, err := hex.DecodeString(sum); err != nil || len(bytes) != sha256.Size {
		return ""
	}
	return sum
}

// describe returns what identifies a file and its state, without the hash.
func describe(path string, info fs.FileInfo) remembered {
	r := remembered{Path: path, Size: info.Size(), ModTime: info.ModTime().UnixNano()}
	r.Inode, r.Changed = status(info)
	return r
}

// remember stores the hash of a file, replacing an older one in one step, since other runs may do the same.
func (h *Hasher) remember(r remembered) error {
	if err := os.MkdirAll(h.folder, 0o755); err != nil {
		return err
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return files.Write(h.place(r.Path), 0o644, data)
}
