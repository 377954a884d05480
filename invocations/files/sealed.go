package files

import (
	"io/fs"
	"strings"
)

// sealSuffix ends the name of the file that holds the hash of the file beside it.
const sealSuffix = ".sha256"

// PlaceSealed is Place for a file of a cache: it also stores the file's hash beside it, by which Intact finds out later
// whether the file has been changed.
func PlaceSealed(finished, path string, mode fs.FileMode) error {
	sum, _, err := SHA256(finished)
	if err != nil {
		return err
	}
	if err := Place(finished, path, mode); err != nil {
		return err
	}
	return writeSeal(path, sum)
}

// Seal stores the hash of a file beside it, as PlaceSealed does. The file is in a folder that nobody reads yet.
func Seal(path string) error {
	sum, _, err := SHA256(path)
	if err != nil {
		return err
	}
	return writeSeal(path, sum)
}

func writeSeal(path, sum string) error { return Write(path+sealSuffix, 0o644, []byte(sum+"\n")) }

// Intact reports whether a file is there and has the content that PlaceSealed or Seal has seen. It returns false for a file
// without a hash, and if it cannot be read: it must then be made again.
func Intact(path string) bool {
	want, err := Read(path + sealSuffix)
	if err != nil {
		return false
	}
	sum, _, err := SHA256(path)
	return err == nil && sum == strings.TrimSuffix(string(want), "\n")
}
