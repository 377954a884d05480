package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckWritable(t *testing.T) {
	folder := t.TempDir()
	if err := CheckWritable(filepath.Join(folder, "not", "there", "yet")); err != nil {
		t.Error(err)
	}
	if err := CheckWritable(folder); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("it leaves %v, %v", entries, err)
	}
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := CheckWritable(filepath.Join(file, "below")); err == nil || !strings.Contains(err.Error(), "file") {
		t.Errorf("below a file: %v", err)
	}
	if os.Getuid() == 0 {
		return // may write everywhere
	}
	if err := os.Chmod(folder, 0o555); err != nil {
		t.Fatal(err)
	}
	if err := CheckWritable(filepath.Join(folder, "new")); err == nil ||
		!strings.Contains(err.Error(), "nothing can be written there: permission denied; name another folder") {
		t.Errorf("read-only: %v", err)
	}
}
