package bundle

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"zonemark/invocations/files"
)

// The limits of what is opened. They are far above what runs need.
const (
	maxEntries  = 10_000
	maxManifest = 8 << 20
	maxText     = 1 << 30 // bytes of the journal and of the plan
)

// Bundle is an open bundle whose manifest agrees with its entries. What is read of it is compared with the hashes there.
type Bundle struct {
	Manifest
	Digest string // of the manifest; see Write

	path    string
	file    files.File
	entries map[string]*zip.File
}

// Open opens a bundle. It refuses files that are no bundles, those of later versions, and those whose entries are not
// what the manifest lists. maxBytes bounds the sizes of all entries together.
func Open(path string, maxBytes int64) (*Bundle, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	b := &Bundle{path: path, file: f, entries: map[string]*zip.File{}}
	if err := b.read(maxBytes); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return b, nil
}

// Close closes the file.
func (b *Bundle) Close() error { return b.file.Close() }

func (b *Bundle) read(maxBytes int64) error {
	info, err := b.file.Stat()
	if err != nil {
		return err
	}
	archive, err := zip.NewReader(b.file, info.Size())
	if err != nil {
		return fmt.Errorf("not a bundle of zonemark, or cut short: %w; \"run --bundle FILE\" writes one", err)
	}
	if n := len(archive.File); n > maxEntries {
		return fmt.Errorf("it has %d entries, and at most %d are read", n, maxEntries)
	}
	for _, f := range archive.File {
		if err := checkName(f); err != nil {
			return err
		}
		if b.entries[f.Name] != nil {
			return fmt.Errorf("the entry %q is there twice", f.Name)
		}
		b.entries[f.Name] = f
	}
	manifest := b.entries[manifestName]
	if manifest == nil {
		return errors.New("not a bundle of zonemark: it has no manifest")
	}
	text, err := readEntry(manifest, maxManifest)
	if err != nil {
		return err
	}
	b.Digest = digestOf(text)
	if err := json.Unmarshal(text, &b.Manifest); err != nil {
		return fmt.Errorf("%s: %w", manifestName, err)
	}
	return b.check(maxBytes)
}

// checkName returns an error for an entry that is no regular file, or that would lie elsewhere.
func checkName(f *zip.File) error {
	if !fs.ValidPath(f.Name) || strings.ContainsAny(f.Name, "\\:\x00") || !filepath.IsLocal(filepath.FromSlash(f.Name)) {
		return fmt.Errorf("the entry %q has a name that a bundle cannot have", f.Name)
	}
	if !f.Mode().IsRegular() {
		return fmt.Errorf("the entry %q is no regular file", f.Name)
	}
	return nil
}

// check compares the manifest with the entries.
func (b *Bundle) check(maxBytes int64) error {
	switch {
	case b.Format != Format:
		return fmt.Errorf("not a bundle of zonemark: its format is %.40q", b.Format)
	case b.Version < 1 || b.Version > Version:
		return fmt.Errorf("a bundle of version %d, and this zonemark reads version %d; use the zonemark that wrote it (%.40s)",
			b.Version, Version, b.Build)
	case len(b.Entries) != len(b.entries)-1:
		return fmt.Errorf("changed after it was written: it has %d entries, and the manifest lists %d", len(b.entries)-1,
			len(b.Entries))
	}
	total := int64(0)
	for _, e := range b.Entries {
		f := b.entries[e.Name]
		if f == nil || e.Name == manifestName {
			return fmt.Errorf("changed after it was written: %q is in the manifest only", e.Name)
		}
		if e.Size < 0 || f.UncompressedSize64 != uint64(e.Size) {
			return fmt.Errorf("changed after it was written: %q has %d bytes, and the manifest says %d", e.Name,
				f.UncompressedSize64, e.Size)
		}
		if total += e.Size; total > maxBytes || total < 0 {
			return fmt.Errorf("it holds more than %d MiB; --max-size allows more", maxBytes>>20)
		}
	}
	for _, name := range []string{JournalName, PlanName} {
		if b.entries[name] == nil {
			return fmt.Errorf("it has no %s", name)
		}
	}
	return nil
}

// readEntry reads an entry of at most so many bytes.
func readEntry(f *zip.File, most int64) ([]byte, error) {
	var text bytes.Buffer
	if err := copyEntry(&text, f, most); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}

// copyEntry copies an entry, whose header may lie about its size.
func copyEntry(w io.Writer, f *zip.File, most int64) error {
	r, err := f.Open()
	if err != nil {
		return fmt.Errorf("%q: %w", f.Name, err)
	}
	defer r.Close()
	n, err := io.Copy(w, io.LimitReader(r, most+1))
	if err != nil {
		return fmt.Errorf("%q: damaged: %w", f.Name, err)
	}
	if n > most {
		return fmt.Errorf("%q is longer than %d bytes", f.Name, most)
	}
	return nil
}

// Journal returns the journal.
func (b *Bundle) Journal() ([]byte, error) { return b.text(JournalName) }

// Plan returns the plan, in the encoding of who wrote it.
func (b *Bundle) Plan() ([]byte, error) { return b.text(PlanName) }

func (b *Bundle) text(name string) ([]byte, error) {
	var text bytes.Buffer
	for _, e := range b.Entries {
		if e.Name == name && e.Size <= maxText {
			err := b.copyChecked(&text, e)
			return text.Bytes(), err
		}
	}
	return nil, fmt.Errorf("%s: %s is longer than %d MiB", b.path, name, maxText>>20)
}

// copyChecked copies an entry and compares its hash. What was written is worthless if there is an error.
func (b *Bundle) copyChecked(w io.Writer, e Entry) error {
	h := sha256.New()
	if err := copyEntry(io.MultiWriter(w, h), b.entries[e.Name], e.Size); err != nil {
		return fmt.Errorf("%s: %w", b.path, err)
	}
	if sum := hex.EncodeToString(h.Sum(nil)); sum != e.SHA256 {
		return fmt.Errorf("%s: changed after it was written: %q has the hash %s, and the manifest says %.64q", b.path, e.Name,
			sum, e.SHA256)
	}
	return nil
}

// Has reports whether the bundle holds the file with this absolute path.
func (b *Bundle) Has(file string) bool { return b.entries[entryName(file)] != nil }

// Unpack writes the files into an empty folder. PathIn says where each one is. They can be read and executed, and not
// written.
func (b *Bundle) Unpack(folder string) error {
	for _, e := range b.Entries {
		if !strings.HasPrefix(e.Name, fileFolder) {
			continue
		}
		path := filepath.Join(folder, filepath.FromSlash(e.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o555)
		if err != nil {
			return err
		}
		if err := errors.Join(b.copyChecked(f, e), f.Close()); err != nil {
			return err
		}
	}
	return nil
}
