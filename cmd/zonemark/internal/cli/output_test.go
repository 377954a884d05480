package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What cannot be written, or would destroy something, is refused before anything is done.
func TestOutput(t *testing.T) {
	folder := t.TempDir()
	file, empty := filepath.Join(folder, "file"), filepath.Join(folder, "empty")
	if err := errors.Join(os.WriteFile(file, []byte("x"), 0o600), os.WriteFile(empty, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	none := func(string) error { return errors.New("something else") }
	for _, c := range []struct {
		o    Output
		want string
	}{
		{Output{Kept: true}, ""},
		{Output{Path: filepath.Join(folder, "new"), Kept: true, Holds: none}, ""},
		{Output{Path: empty, Kept: true, Holds: none}, ""},
		{Output{Path: file}, ""},
		{Output{Path: os.DevNull, Kept: true, Holds: none}, ""},
		{Output{Path: folder}, "-o " + folder + ": this is a folder"},
		{Output{Path: file, Kept: true}, "-o " + file + ": the file is there; replace it with --overwrite"},
		{Output{Path: file, Kind: "page", Holds: none}, "-o " + file + ": this file is there and is no page, so it is not"},
		{Output{Path: filepath.Join(folder, "sub", "new.csv")}, "-o " + filepath.Join(folder, "sub", "new.csv") +
			": there is no folder " + filepath.Join(folder, "sub") + "; make it"},
	} {
		c.o.Flag = "-o"
		if err := c.o.Check(); (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.want)
		}
	}
}
