package remote

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"zonemark/invocations/files"
	"zonemark/invocations/wire"
)

// Store keeps files on a host by their hashes, and gives them their places in the folder of a session. Several sessions
// may use one store at once.
type Store struct {
	Root   string // of the files by hash
	Folder string // of the session

	mu       sync.Mutex        // held by Place and Take
	whole    map[string]bool   // hashes of files that this session has seen to be whole
	wanted   map[string]int64  // bytes by hash, of files that were asked for
	placed   map[string]string // hash or link by path
	arriving *arriving         // the file that comes; nil: none
	failed   error             // the first error of a file that came
}

// arriving is a file that comes piece by piece.
type arriving struct {
	sha256 string
	file   *os.File
	sum    hash.Hash
	left   int64
}

// Place gives files their places. If some are missing in the store, it returns their hashes and places none. A file that
// has not the content of its hash any more is removed, and is missing.
func (s *Store) Place(list []wire.File) (missing []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.failed; err != nil {
		s.failed = nil
		return nil, err
	}
	s.wanted = map[string]int64{}
	for _, f := range list {
		if err := checkFile(&f); err != nil {
			return nil, err
		}
		if f.Link != "" || s.wanted[f.SHA256] > 0 {
			continue
		}
		there, err := s.has(f.SHA256)
		if err != nil {
			return nil, err
		}
		if !there {
			if !slices.Contains(missing, f.SHA256) {
				missing = append(missing, f.SHA256)
			}
			s.wanted[f.SHA256] = f.Bytes
		}
	}
	if len(missing) > 0 {
		return missing, nil
	}
	for _, f := range list {
		err := s.place(&f)
		if errors.Is(err, fs.ErrNotExist) && f.Link == "" { // another session has pruned the store meanwhile
			delete(s.whole, f.SHA256)
			s.wanted[f.SHA256] = f.Bytes
			return []string{f.SHA256}, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// has reports whether the store has a file, whole. It hashes the file once in a session, since anybody may have changed
// it, and notes that it is in use.
func (s *Store) has(sha256 string) (bool, error) {
	path := s.kept(sha256)
	if s.whole[sha256] {
		return true, nil
	}
	sum, _, err := files.SHA256(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case sum != sha256:
		return false, os.Remove(path)
	}
	s.noteWhole(sha256)
	return true, used(path)
}

func (s *Store) noteWhole(sha256 string) {
	if s.whole == nil {
		s.whole = map[string]bool{}
	}
	s.whole[sha256] = true
}

// checkFile returns an error for a file that cannot have its place.
func checkFile(f *wire.File) error {
	if !fs.ValidPath(f.Path) || !filepath.IsLocal(filepath.FromSlash(f.Path)) || strings.Contains(f.Path, "\x00") {
		return fmt.Errorf("the path %.200q leads out of the folder", f.Path)
	}
	if sum, err := hex.DecodeString(f.SHA256); f.Link == "" && (err != nil || len(sum) != sha256.Size) {
		return fmt.Errorf("%.200q has no hash", f.Path)
	}
	if f.Bytes < 0 {
		return fmt.Errorf("%.200q has %d bytes", f.Path, f.Bytes)
	}
	return nil
}

// kept returns the path of a file in the store.
func (s *Store) kept(sha256 string) string { return filepath.Join(s.Root, sha256[:2], sha256) }

// place gives a file its place, unless it has it.
func (s *Store) place(f *wire.File) error {
	if s.placed == nil {
		s.placed = map[string]string{}
	}
	was, there := s.placed[f.Path]
	is := f.SHA256 + " " + f.Link
	if there && was == is {
		return nil
	}
	path := filepath.Join(s.Folder, filepath.FromSlash(f.Path))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if there {
		delete(s.placed, f.Path)
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	var err error
	if f.Link != "" {
		err = os.Symlink(f.Link, path)
	} else if os.Link(s.kept(f.SHA256), path) != nil {
		err = copyFile(s.kept(f.SHA256), path) // the file system may have no hard links
	}
	if err == nil {
		s.placed[f.Path] = is
	}
	return err
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, storedMode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// storedMode is the mode of files in the store. Some are programs, and none may be changed.
const storedMode = 0o555

// Take takes the next part of a file. Place tells its error.
func (s *Store) Take(p *wire.Piece) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.take(p)
	if err == nil {
		return
	}
	if s.arriving != nil {
		_ = s.arriving.file.Close()           // the error is told
		_ = os.Remove(s.arriving.file.Name()) // likewise
		s.arriving = nil
	}
	if s.failed == nil {
		s.failed = err
	}
}

func (s *Store) take(p *wire.Piece) error {
	if s.failed != nil {
		return nil // the rest of a file that cannot be kept
	}
	a := s.arriving
	if a == nil {
		bytes, wanted := s.wanted[p.SHA256]
		if !wanted {
			return fmt.Errorf("a file %.80q came that nobody had asked for", p.SHA256)
		}
		folder := filepath.Dir(s.kept(p.SHA256))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		f, err := os.CreateTemp(folder, "part-*")
		if err != nil {
			return err
		}
		a = &arriving{sha256: p.SHA256, file: f, sum: sha256.New(), left: bytes}
		s.arriving = a
	}
	if a.left -= int64(len(p.Bytes)); a.sha256 != p.SHA256 || a.left < 0 {
		return fmt.Errorf("the file %s came with parts that are not its own", a.sha256)
	}
	a.sum.Write(p.Bytes) // it never fails
	if _, err := a.file.Write(p.Bytes); err != nil {
		return err
	}
	if !p.Last {
		return nil
	}
	if sum := hex.EncodeToString(a.sum.Sum(nil)); sum != a.sha256 {
		return fmt.Errorf("the file %s arrived damaged: its hash is %s", a.sha256, sum)
	}
	if err := errors.Join(a.file.Chmod(storedMode), a.file.Close()); err != nil {
		return err
	}
	s.arriving = nil
	s.noteWhole(a.sha256)
	return os.Rename(a.file.Name(), s.kept(a.sha256))
}
