package vmfb

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
)

const (
	moduleFile   = "module.fb"
	maxLibraries = 1 << 12
)

// parseArchive reads a module in its usual form: a ZIP archive whose files are stored, not compressed, so that a
// runtime can map them.
func parseArchive(r io.ReaderAt, size int64) (*Module, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		if errors.Is(err, zip.ErrFormat) {
			return nil, errors.New("the ZIP archive has no directory: it is truncated; copy or compile it again")
		}
		return nil, fmt.Errorf("ZIP archive: %w", err)
	}
	if len(z.File) > maxLibraries {
		return nil, fmt.Errorf("the ZIP archive has %d files; a module has at most %d", len(z.File), maxLibraries)
	}
	m := &Module{}
	found := false
	for _, f := range z.File {
		stored, err := storedFile(r, f, size)
		if err != nil {
			return nil, err
		}
		if f.Name != moduleFile {
			if err := m.addLibrary(f.Name, stored); err != nil {
				return nil, err
			}
			continue
		}
		if found {
			return nil, fmt.Errorf("the ZIP archive has two files %s", moduleFile)
		}
		found = true
		segments, _, err := m.parseFlatbuffer(stored, stored.Size())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", moduleFile, err)
		}
		for _, s := range segments { // an external segment is a file of the archive
			if err := m.addLibrary(fmt.Sprintf("rodata %d", s.ordinal), s.embedded); err != nil {
				return nil, err
			}
		}
	}
	if !found {
		return nil, fmt.Errorf("a ZIP archive without %s is not an IREE module", moduleFile)
	}
	return m, nil
}

// storedFile returns the contents of a stored file of the archive, without copying.
func storedFile(r io.ReaderAt, f *zip.File, size int64) (*io.SectionReader, error) {
	if f.Method != zip.Store || f.CompressedSize64 != f.UncompressedSize64 {
		return nil, fmt.Errorf("%s in the ZIP archive is compressed; the files of a module are stored: compile it "+
			"again", f.Name)
	}
	at, err := f.DataOffset()
	if err != nil {
		return nil, fmt.Errorf("%s in the ZIP archive: %w", f.Name, err)
	}
	if at < 0 || at > size || f.UncompressedSize64 > uint64(size-at) {
		return nil, fmt.Errorf("%s: %d bytes at byte %d reach beyond the file's %d bytes: it is truncated; copy or "+
			"compile it again", f.Name, f.UncompressedSize64, at, size)
	}
	return io.NewSectionReader(r, at, int64(f.UncompressedSize64)), nil
}
