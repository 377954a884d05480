package bundle

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"zonemark/invocations/files"
)

// Source is what is put into a bundle.
type Source struct {
	Build   string // of zonemark
	Journal []byte
	Plan    []byte
	Files   []string // absolute paths of regular files; doubles count once
}

// Write writes a bundle, which replaces the file at path when it is complete. Nobody else may read a new one, since it
// holds whole files of its user. It returns the digest by which people can
// tell bundles apart: the hash of the manifest.
func Write(path string, s Source) (digest string, err error) {
	err = files.Replace(path, 0o600, func(w io.Writer) error {
		digest, err = writeTo(w, s)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("bundle %s: %w", path, err)
	}
	return digest, nil
}

func writeTo(w io.Writer, s Source) (digest string, err error) {
	b := writer{zip: zip.NewWriter(w), manifest: Manifest{
		Format: Format, Version: Version, Build: s.Build, Created: time.Now().UTC().Truncate(time.Second),
	}}
	if err := b.add(JournalName, bytes.NewReader(s.Journal)); err != nil {
		return "", err
	}
	if err := b.add(PlanName, bytes.NewReader(s.Plan)); err != nil {
		return "", err
	}
	known := map[string]bool{}
	for _, file := range s.Files {
		if name := entryName(file); !known[name] {
			known[name] = true
			if err := b.addFile(name, file); err != nil {
				return "", err
			}
		}
	}
	text, err := json.MarshalIndent(b.manifest, "", " ")
	if err != nil {
		return "", err
	}
	entry, err := b.zip.Create(manifestName)
	if err == nil {
		_, err = entry.Write(text)
	}
	if err == nil {
		err = b.zip.Close()
	}
	return digestOf(text), err
}

func digestOf(manifest []byte) string {
	sum := sha256.Sum256(manifest)
	return hex.EncodeToString(sum[:])
}

// writer writes entries, and notes them.
type writer struct {
	zip      *zip.Writer
	manifest Manifest
}

// addFile adds a regular file.
func (b *writer) addFile(name, file string) error {
	f, err := files.Open(filepath.FromSlash(file))
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file, and only regular files can be kept", file)
	}
	return b.add(name, f)
}

// add adds an entry.
func (b *writer) add(name string, r io.Reader) error {
	entry, err := b.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
	if err != nil {
		return err
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(entry, h), r)
	if err != nil {
		return err
	}
	b.manifest.Entries = append(b.manifest.Entries, Entry{Name: name, Size: n, SHA256: hex.EncodeToString(h.Sum(nil))})
	return nil
}
