package bench

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"zonemark/invocations/files"
)

// Exports is a cache of exports of models. The folder of each export is named after the hash of everything that it
// depends on.
type Exports struct {
	Exporter *Exporter
	Folder   string // of the cache; it exists
	// Generator identifies what else exports depend on: the versions of Python and its packages, and the exporter's
	// sources.
	Generator string
	// Variables are the environment variables that the user sets for the run. Models may read them.
	Variables []string
	// MaxBytes bounds the cache. The least recently used exports are removed, but none that was used within the last
	// hour. 0 means no bound.
	MaxBytes int64
}

// Export is one export in the cache.
type Export struct {
	*Manifest
	Folder string
	Cached bool          // it was in the cache
	Took   time.Duration // time to make it; 0 if it was in the cache
}

// recently is how long an export is kept after its last use, since another benchmark may still read it.
const recently = time.Hour

// longAgo is how long a description is kept. Descriptions are small, but every change of the exporter adds new ones.
const longAgo = 30 * 24 * time.Hour

// Get returns the export for a request and makes it if it is not in the cache. An export that is interrupted or fails
// leaves nothing behind.
func (x *Exports) Get(ctx context.Context, r Request) (Export, error) {
	key, err := x.key("export", r)
	if err != nil {
		return Export{}, err
	}
	folder := filepath.Join(x.Folder, key)
	m, err := ReadManifest(filepath.Join(folder, manifestName))
	if err == nil {
		now := time.Now()
		// another user's cache may be read-only; only pruning needs the time
		_ = os.Chtimes(folder, now, now)
		return Export{Manifest: m, Folder: folder, Cached: true}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		if err := os.RemoveAll(folder); err != nil { // it is incomplete
			return Export{}, fmt.Errorf("cache of exports: %w", err)
		}
	}
	start := time.Now()
	if err := x.make(ctx, r, folder); err != nil {
		return Export{}, err
	}
	took := time.Since(start)
	if m, err = ReadManifest(filepath.Join(folder, manifestName)); err != nil {
		return Export{}, err
	}
	return Export{Manifest: m, Folder: folder, Took: took}, x.prune(key)
}

// Describe returns the manifest that an export would have, without making the export. Answers are cached.
func (x *Exports) Describe(ctx context.Context, r Request) (*Manifest, error) {
	key, err := x.key("describe", r)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(x.Folder, key+".json")
	if data, err := files.Read(path); err == nil {
		if m, err := ParseManifest(data); err == nil {
			return m, nil
		}
	}
	_, data, err := x.Exporter.run(ctx, "describe", r.arguments(), "")
	if err != nil {
		return nil, err
	}
	m, err := ParseManifest(data)
	if err != nil {
		return nil, err
	}
	if err := files.Write(path, 0o644, data); err != nil {
		return nil, fmt.Errorf("cache of exports: %w", err)
	}
	return m, nil
}

// make makes an export in a temporary folder and moves it to its place when it is complete.
func (x *Exports) make(ctx context.Context, r Request, folder string) (err error) {
	partial, err := os.MkdirTemp(x.Folder, partialPrefix+"*")
	if err != nil {
		return fmt.Errorf("cache of exports: %w; set ZONEMARK_HOME to a folder that can be written", err)
	}
	defer func() {
		if removing := os.RemoveAll(partial); err == nil && removing != nil {
			err = fmt.Errorf("cache of exports: %w", removing)
		}
	}()
	out := filepath.Join(partial, "export")
	if err := x.Exporter.Export(ctx, r, out); err != nil {
		return err
	}
	if _, err := ReadManifest(filepath.Join(out, manifestName)); err != nil {
		return err
	}
	if err := os.Rename(out, folder); err != nil {
		if _, there := ReadManifest(filepath.Join(folder, manifestName)); there == nil {
			return nil // another benchmark has made the same export meanwhile
		}
		return fmt.Errorf("cache of exports: %w", err)
	}
	return nil
}

// partialPrefix begins the names of temporary folders.
const partialPrefix = "partial-"

// key returns the hash of everything that an export depends on, in hexadecimal digits.
func (x *Exports) key(kind string, r Request) (string, error) {
	h := sha256.New()
	add := func(parts ...string) {
		for _, part := range parts {
			fmt.Fprintf(h, "%d:%s", len(part), part)
		}
	}
	add("zonemark export 1", kind, x.Generator)
	add(x.Variables...)
	add("arguments")
	add(r.arguments()...)
	for _, root := range x.Exporter.Models {
		add("models", root)
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if e.IsDir() && path != root && (strings.HasPrefix(e.Name(), ".") || e.Name() == "__pycache__") {
				return filepath.SkipDir
			}
			if !e.Type().IsRegular() || filepath.Ext(path) != ".py" {
				return nil
			}
			text, err := files.Read(path)
			add(path, string(text))
			return err
		})
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("there is no such folder or file")
		}
		if err != nil {
			return "", &Error{Text: fmt.Sprintf("--own-models %s: %v", root, err)}
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// prune removes the remains of interrupted exports and, while the cache is too large, the least recently used exports.
// It keeps the export of key.
func (x *Exports) prune(key string) error {
	entries, err := os.ReadDir(x.Folder)
	if err != nil {
		return fmt.Errorf("cache of exports: %w", err)
	}
	type export struct {
		path  string
		used  time.Time
		bytes int64
	}
	var all []export
	var total int64
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue
		}
		if !e.IsDir() {
			if time.Since(info.ModTime()) > longAgo {
				_ = os.Remove(filepath.Join(x.Folder, e.Name())) // it is made again when it is needed
			}
			continue
		}
		one := export{filepath.Join(x.Folder, e.Name()), info.ModTime(), files.BytesBelow(filepath.Join(x.Folder, e.Name()))}
		total += one.bytes
		if e.Name() != key && time.Since(one.used) > recently {
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b export) int { return a.used.Compare(b.used) })
	for _, one := range all {
		left := strings.HasPrefix(filepath.Base(one.path), partialPrefix)
		if !left && (x.MaxBytes == 0 || total <= x.MaxBytes) {
			continue
		}
		if err := os.RemoveAll(one.path); err != nil {
			return fmt.Errorf("cache of exports: %w", err)
		}
		total -= one.bytes
	}
	return nil
}
