//go:build !linux

package hostile

// becomeLacking does nothing: there are no layers.
func becomeLacking() {}
