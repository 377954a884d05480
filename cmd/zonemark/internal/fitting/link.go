package fitting

import (
	"io/fs"
	"os"
	"path/filepath"

	"zonemark/driver/costmodel/params"
)

// LinkNewest makes a link to the newest parameters of an architecture where the older tool has them, in the folder
// above. A file that is no link stays.
func LinkNewest(folder, architecture string) error {
	newest, err := params.Versions(folder, architecture)
	if err != nil {
		return err
	}
	to := params.SingleFile(folder, architecture)
	if newest > 0 {
		to = params.VersionFile(folder, architecture, newest)
	}
	if _, err := os.Stat(to); err != nil {
		return nil // nothing was fitted
	}
	link := params.SingleFile(filepath.Dir(folder), architecture)
	switch info, err := os.Lstat(link); {
	case err == nil && info.Mode()&fs.ModeSymlink == 0:
		return nil
	case err == nil:
		if err := os.Remove(link); err != nil {
			return err
		}
	}
	if to, err = filepath.Rel(filepath.Dir(folder), to); err != nil {
		return err
	}
	return os.Symlink(to, link)
}
