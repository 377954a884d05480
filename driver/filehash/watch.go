package filehash

import (
	"os"

	"zonemark/invocations/files"
)

// mostHashed is the size in bytes up to which Watch hashes files. Of a larger one, another state counts as another
// content.
const mostHashed = 256 << 20

// Watch tells whether files change while they are used. Its zero value watches none. One goroutine at a time uses it.
type Watch struct {
	files map[string]remembered // by path, with the hash of those that are small
}

// Look begins to watch files, by their paths. Those that are no regular files, or cannot be read, are left out.
func (w *Watch) Look(paths ...string) {
	for _, path := range paths {
		if _, known := w.files[path]; known {
			continue
		}
		now, ok := look(path)
		if !ok {
			continue
		}
		if now.Size <= mostHashed {
			var err error
			if now.SHA256, _, err = files.SHA256(path); err != nil {
				continue
			}
		}
		if w.files == nil {
			w.files = map[string]remembered{}
		}
		w.files[path] = now
	}
}

// Changed returns the first of some paths whose file has another content than when it was first looked at, or is gone;
// empty if there is none. What only has another date has not changed.
func (w *Watch) Changed(paths ...string) string {
	for _, path := range paths {
		before, known := w.files[path]
		if !known {
			continue
		}
		now, ok := look(path)
		if !ok {
			return path
		}
		if now.SHA256 = before.SHA256; now == before {
			continue
		}
		if sum, _, err := files.SHA256(path); before.SHA256 == "" || err != nil || sum != before.SHA256 {
			return path
		}
		w.files[path] = now
	}
	return ""
}

// look returns the state of a regular file.
func look(path string) (state remembered, ok bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return state, false
	}
	return describe(path, info), true
}
