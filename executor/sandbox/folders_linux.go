package sandbox

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// All executors of a run have the same scratch folder, so native code may have put anything where a later one needs a
// folder of its own: a file, a link, or a folder that nobody may enter. That must keep no executor from starting, and
// take no layer from it.

// mostSpoiled is how often a folder is made anew while native code of another executor may still spoil it.
const mostSpoiled = 8

// ownFolder makes a folder, in one in which native code may write, unless it is there. What else is there gets another
// name.
func ownFolder(path string) error {
	for n := range mostSpoiled {
		err := os.Mkdir(path, 0o700)
		if !errors.Is(err, os.ErrExist) {
			return err
		}
		if info, err := os.Lstat(path); err == nil && info.IsDir() && info.Mode()&0o700 == 0o700 {
			return nil
		}
		left := fmt.Sprintf("%s-left-%d-%d", path, os.Getpid(), n)
		if err := os.Rename(path, left); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return fmt.Errorf("%s: %w again and again", path, os.ErrExist)
}

// regainScratch lets this process use the scratch folder again if native code has changed its mode.
func regainScratch(path string) error {
	var s unix.Stat_t
	if err := unix.Stat(path, &s); err != nil {
		return fmt.Errorf("sandbox: the scratch folder: %w", err)
	}
	if s.Mode&0o700 == 0o700 || int(s.Uid) != os.Geteuid() {
		return nil
	}
	if err := os.Chmod(path, 0o700); err != nil {
		return fmt.Errorf("sandbox: the scratch folder: %w", err)
	}
	return nil
}
