//go:build !linux

package platform

// ThreadClocks read the CPU time of some threads of this process. There are none: this system does not tell threads
// apart.
type ThreadClocks struct{}

// NewThreadClocks returns nil.
func NewThreadClocks(map[int]int64) *ThreadClocks { return nil }

// CPUTimeNS returns 0.
func (*ThreadClocks) CPUTimeNS() int64 { return 0 }

// OthersReady returns false.
func (*ThreadClocks) OthersReady() bool { return false }
