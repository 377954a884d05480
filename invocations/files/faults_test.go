package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/invocations/files"
	"zonemark/invocations/files/faults"
)

// TestReplaceFaults: whatever fails, the file has its old contents or, if there is no error, the new ones. The error
// names the file, and not the unfinished one, which stays only after a crash, or if it cannot be removed.
func TestReplaceFaults(t *testing.T) {
	for name, replace := range map[string]func(path string) error{
		"Write":       func(path string) error { return files.Write(path, 0o644, []byte("new"), []byte(" text")) },
		"PlaceSealed": func(path string) error { return files.PlaceSealed(path+".finished", path, 0o644) },
	} {
		t.Run(name, func(t *testing.T) {
			faults.Each(t, 6, func(folder string) error {
				return errors.Join(os.WriteFile(filepath.Join(folder, "f"), []byte("old"), 0o644),
					os.WriteFile(filepath.Join(folder, "f.finished"), []byte("new text"), 0o644))
			}, func(folder string) error { return replace(filepath.Join(folder, "f")) },
				func(folder string, f faults.Fault, err error) {
					path := filepath.Join(folder, "f")
					text, read := os.ReadFile(path)
					switch got := string(text); {
					case read != nil || got != "new text" && (got != "old" || err == nil && f.Kind != faults.LosesAll):
						t.Errorf("%v: %q, %v; the error was %v", f, got, read, err)
					case got == "new text" && err != nil && name == "PlaceSealed" && files.Intact(path):
						t.Errorf("%v: it is said to be intact, and the error was %v", f, err)
					}
					if text := strings.ReplaceAll(errorText(err), path+".finished", path); err != nil && !f.Ends() &&
						(!strings.Contains(text, path) || strings.Contains(text, "/.f-") && f.What != "remove") {
						t.Errorf("%v: the error does not name the file: %v", f, err)
					}
					if left, _ := filepath.Glob(filepath.Join(folder, files.TemporaryPattern(path))); len(left) > 0 &&
						!f.Ends() {
						t.Errorf("%v: left behind: %v", f, left)
					}
				})
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
