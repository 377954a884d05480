package cli

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// A full table of open files is called that, with what to do; what an error quotes is no format.
func TestFailWithoutDescriptors(t *testing.T) {
	for _, c := range []struct {
		err  error
		full bool
	}{{fmt.Errorf("pipe to the executor: %w", syscall.EMFILE), true}, {fmt.Errorf("100 %%d %w", syscall.ENOENT), false}} {
		var said strings.Builder
		status := Streams{Err: &said}.Fail("%v", c.err)
		if got := said.String(); status != ExitError || strings.Contains(got, "ulimit -n") != c.full ||
			!strings.HasPrefix(got, "zonemark: "+c.err.Error()) {
			t.Errorf("%q, status %d", got, status)
		}
	}
}
