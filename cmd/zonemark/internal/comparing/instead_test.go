package comparing

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/program"
)

// Two journals of two files that were measured in the same way can be decided by measuring both now.
func TestHowToDecide(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, source := range []string{"old.c", "new.c"} {
		if err := os.WriteFile(source, []byte("void f(void) {}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, words := range map[string]string{
		"old":   `"old.c","--param","n=4","-o","old"`,
		"new":   `"--html=p.html","new.c","--param","n=4","-o","new"`,
		"same":  `"old.c","--param","n=4"`,
		"other": `"new.c","--param","n=8"`,
		"two":   `"new.c","old.c","--param","n=4"`,
	} {
		header := `{"kind":"header","version":1,"command":["zonemark","run",` + words + "]}\n"
		if err := os.WriteFile(name, []byte(header), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"new": "\n  zonemark compare --measure old.c new.c --param n=4\n", "same": "", "other": "", "two": "",
	} {
		var said bytes.Buffer
		p := program.Standard()
		p.Streams = cli.Streams{Err: &said}
		f := NewFlags(p)
		f.arguments = []string{"old", name}
		if f.sayHowToDecide(); !strings.HasSuffix(said.String(), want) || (want == "") != (said.Len() == 0) {
			t.Errorf("%s: %q", name, said.String())
		}
	}
}
