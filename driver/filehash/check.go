package filehash

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"zonemark/invocations/files"
)

// File is a file whose content is known.
type File struct {
	Path   string // absolute
	SHA256 string // hexadecimal
	Bytes  int64
}

// Check returns what is wrong with the first of the files that is not what it was, naming it, and "" if all are. It
// looks at the state of each file: size, times and place. It hashes all of them if one has another state than when it
// checked them last, which the file memory holds. A failure to write that file is ignored; all are then hashed again
// the next time.
func Check(memory string, list []File) (wrong string) { return check(memory, list, settled) }

// check does what Check does. It remembers nothing about files that have changed in the time settled before now.
func check(memory string, list []File, settled time.Duration) (wrong string) {
	if len(list) == 0 {
		return ""
	}
	state := sha256.New()
	var newest time.Time
	for _, f := range list {
		info, err := os.Stat(f.Path)
		switch {
		case err != nil:
			return f.Path + " is gone"
		case info.Size() != f.Bytes:
			return fmt.Sprintf("%s has %d bytes, and had %d when it was installed", f.Path, info.Size(), f.Bytes)
		}
		r := describe(f.Path, info)
		r.SHA256 = f.SHA256
		newest = latest(newest, info, r.Changed)
		if err := json.NewEncoder(state).Encode(r); err != nil {
			return err.Error()
		}
	}
	now := hex.EncodeToString(state.Sum(nil)) + "\n"
	if before, err := os.ReadFile(memory); err == nil && string(before) == now {
		return ""
	}
	for _, f := range list {
		switch sum, _, err := files.SHA256(f.Path); {
		case err != nil:
			return err.Error()
		case !strings.EqualFold(sum, f.SHA256):
			return f.Path + " has been changed since it was installed"
		}
	}
	if time.Since(newest) > settled {
		_ = files.Write(memory, 0o644, []byte(now)) // a failure costs only time
	}
	return ""
}

// latest returns the later of a moment and the last change of a file.
func latest(t time.Time, info fs.FileInfo, changed int64) time.Time {
	for _, other := range []time.Time{info.ModTime(), time.Unix(0, changed)} {
		if other.After(t) {
			t = other
		}
	}
	return t
}
