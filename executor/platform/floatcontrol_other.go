//go:build linux && !amd64 && !arm64

package platform

// floatControl returns 0: the registers are not read on this architecture.
func floatControl() uint64 { return 0 }
