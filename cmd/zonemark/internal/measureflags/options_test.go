package measureflags

import (
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/program"
)

// Names of open dimensions may have spaces, as models have them; other words, and sizes, may not.
func TestWordsWithSpaces(t *testing.T) {
	f := New("run", program.Standard(), nil)
	if _, err := f.Parse([]string{"--dim", "batch=1", "--dim", "seq len=3", "m.onnx"}, ""); err != nil {
		t.Fatal(err)
	}
	if got := f.ArtifactOptions["dims"]; got != "batch=1 seq len=3" {
		t.Errorf("the option is %q", got)
	}
	for _, line := range [][]string{{"--dim", "seq len=3 4"}, {"--dim", " =3"}, {"--dim", "batch"}, {"--generator-param", "a b=3"}} {
		f := New("run", program.Standard(), nil)
		if _, err := f.Parse(append(line, "m.onnx"), ""); err == nil || !strings.Contains(err.Error(), "want NAME=VALUE") {
			t.Errorf("%q: %v", line, err)
		}
	}
}
