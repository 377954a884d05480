package measuring

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"zonemark/invocations/files"
	"zonemark/invocations/foreign"
)

// keepMessage writes a message that is too long for a table to a file in the cache, named after its content. It returns
// the path, or nothing if the file cannot be written: the table then shows the message.
func (m *Measurement) keepMessage(message string) (path string) {
	folder, err := m.Cache().Folder("messages")
	if err != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(message))
	path = filepath.Join(folder, hex.EncodeToString(sum[:8])+".txt")
	if err := files.Write(path, 0o644, []byte(foreign.Text(message)+"\n")); err != nil {
		return ""
	}
	return path
}
