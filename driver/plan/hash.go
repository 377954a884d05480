package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"zonemark/invocations"
	"zonemark/invocations/files"
)

// hashArtifact fills in the hash of an artifact whose runtime gave none: that of the file. Without it, the ids of
// invocations would not change with what is measured, and a resumed run would keep old results.
func hashArtifact(a *invocations.Artifact) error {
	if a.SHA256 != "" {
		return nil
	}
	file, err := files.Open(a.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // no file: there is nothing that could change
	}
	if err != nil {
		return fmt.Errorf("hash of the artifact: %w", err)
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return fmt.Errorf("hash of the artifact, which its runtime must give unless it is a file: %w", err)
	}
	a.SHA256 = hex.EncodeToString(h.Sum(nil))
	return nil
}
