package csource

import (
	"maps"
	"slices"
	"sync"
)

// described holds what was read of files to describe them, until they are built: to read a C file starts the compiler
// twice. Of a file that has changed meanwhile, what was described is built. A build takes the reading away, so that
// another one reads anew.
type described struct {
	mu   sync.Mutex
	list []reading
}

// reading is what was read of a file.
type reading struct {
	path, cache string
	options     map[string]string
	file        *file
}

// mostReadings bounds how many readings are held, of a tenth of a megabyte each.
const mostReadings = 64

func (d *described) keep(r reading) {
	if d == nil {
		return
	}
	d.take(r.path, r.cache, r.options)
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.list) == mostReadings {
		d.list = slices.Delete(d.list, 0, 1)
	}
	d.list = append(d.list, r)
}

// take returns what was read of a file with these options, and forgets it; nil if that is not known.
func (d *described) take(path, cache string, options map[string]string) *file {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.list, func(r reading) bool {
		return r.path == path && r.cache == cache && maps.Equal(r.options, options)
	})
	if i < 0 {
		return nil
	}
	f := d.list[i].file
	d.list = slices.Delete(d.list, i, i+1)
	return f
}
