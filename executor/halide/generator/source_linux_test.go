package generator

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestStrangeSources reads a source of a stranger that includes pipes and files of the kernel. One of these has no end:
// reading it took all memory of the builder.
func TestStrangeSources(t *testing.T) {
	folder := t.TempDir()
	source := filepath.Join(folder, "generator.cpp")
	if err := unix.Mkfifo(filepath.Join(folder, "pipe.h"), 0o600); err != nil {
		t.Fatal(err)
	}
	text := "#include \"pipe.h\"\n#include \"/proc/self/pagemap\"\n#include \"/dev/zero\"\n#include \"/proc/kmsg\"\n"
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := readSources(source, nil)
	if err != nil || len(files) == 0 || files[0].contents != text {
		t.Fatalf("%v, %v", files, err)
	}
	for _, f := range files[1:] {
		if f.contents != "" {
			t.Errorf("%s was read", f.path)
		}
	}
}
