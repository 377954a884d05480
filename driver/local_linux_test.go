package driver

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// usualThreads leaves threads as they are.
type usualThreads struct{}

func (usualThreads) Foreground()   {}
func (usualThreads) LoosenTimers() {}

// TestDescriptorsHaveRoom starts a child that tells how many descriptors its table holds.
func TestDescriptorsHaveRoom(t *testing.T) {
	local := NewLocal(usualThreads{}, func(Allowance) (*exec.Cmd, error) {
		return exec.Command("grep", "FDSize", "/proc/self/status"), nil
	})
	t.Cleanup(local.Close)
	p, err := local.Start(Allowance{})
	if err != nil {
		t.Fatal(err)
	}
	said := strings.Join(p.Wait().Stderr, "\n") // and standard output
	size := 0
	if _, err := fmt.Sscanf(said, "FDSize: %d", &size); err != nil || size <= ProtocolFloor+1 {
		t.Errorf("the table of a child holds %d descriptors (%q, %v); the protocol's are %d and %d",
			size, said, err, ProtocolFloor, ProtocolFloor+1)
	}
}
