//go:build amd64 || arm64

package sandbox

import (
	"testing"
	"unsafe"

	"zonemark/executor/sandbox/signals"

	"golang.org/x/sys/unix"
)

// TestKernelLayouts checks the layouts that the kernel reads, by the sizes of the C structures on both architectures.
func TestKernelLayouts(t *testing.T) {
	var action signals.Action
	var rule unix.LandlockPathBeneathAttr
	var attr unix.LandlockRulesetAttr
	for name, got := range map[string][2]uintptr{
		"size of struct sigaction":             {unsafe.Sizeof(action), 32},
		"offset of sa_mask":                    {unsafe.Offsetof(action.Mask), 24},
		"offset of parent_fd":                  {unsafe.Offsetof(rule.Parent_fd), 8},
		"offset of scoped":                     {unsafe.Offsetof(attr.Scoped), 16},
		"size of Landlock's first ruleset":     {sizeOfRuleset(1), 8},
		"size of Landlock's ruleset version 6": {sizeOfRuleset(6), 24},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: %d instead of %d", name, got[0], got[1])
		}
	}
}

func sizeOfRuleset(abi int) uintptr {
	_, size := landlockRuleset(abi)
	return size
}

// TestLandlockRulesetByVersion checks that older versions of Landlock are asked only for the rights that they know.
func TestLandlockRulesetByVersion(t *testing.T) {
	for abi, want := range map[int][2]uint64{
		1: {0x1ff2, 0},
		2: {0x3ff2, 0},
		3: {0x7ff2, 0},
		5: {0x7ff2, 0},
		6: {0x7ff2, 3},
		9: {0x7ff2, 3},
	} {
		if attr, _ := landlockRuleset(abi); attr.Handled_access_fs != want[0] || attr.Scoped != want[1] {
			t.Errorf("version %d: rights %#x, scopes %#x, want %#x", abi, attr.Handled_access_fs, attr.Scoped, want)
		}
	}
}
