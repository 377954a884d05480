package installing

import (
	"bytes"
	"os/exec"
	"testing"

	"zonemark/invocations/testneeds"
)

// TestPrintVariable checks that a shell reads what is printed for it as the value that was meant.
func TestPrintVariable(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("sh")
	if err != nil {
		testneeds.Missing(t, err)
	}
	for _, want := range []string{"/usr/lib/libiree.so", "/home/o'neil/my files/$x `y` \"z\"\\", ""} {
		var lines bytes.Buffer
		v := &verb{}
		v.Out = &lines
		v.printVariable("PLACE", want)
		cmd := exec.Command(shell, "-c", lines.String()+`printf '%s' "$PLACE"`)
		cmd.Env = []string{"PLACE=stale"}
		if got, err := cmd.Output(); err != nil || string(got) != want {
			t.Errorf("the place is %q, error %v; want %q; printed: %s", got, err, want, &lines)
		}
	}
}
