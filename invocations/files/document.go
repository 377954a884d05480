package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Update replaces a document that several processes change, each what the one before has left. change is handed the
// contents, nil if there is no file, and returns the new ones. Update waits for others that write, as long as they may
// take (WriterPatience), or until the context ends. It locks a file beside the document, NAME.lock, which stays; where
// there are no locks, it goes on without one. It removes what those who were killed have left. After an error, the
// document is as it was.
func Update(ctx context.Context, path string, mode fs.FileMode, change func(old []byte) ([]byte, error)) error {
	lock, err := OpenFile(path+".lock", os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer lock.Close()
	unlock, err := Await(ctx, lock, WriterPatience)
	if unsupported := new(UnsupportedError); err != nil && !errors.As(err, &unsupported) {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err == nil {
		defer unlock()
		if err := RemoveUnfinished(path); err != nil {
			return err
		}
	}
	old, err := Read(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := change(old)
	if err != nil {
		return err
	}
	return Write(path, mode, text)
}
