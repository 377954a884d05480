//go:build !linux

package dl

// ownText would move the library's code to pages of physical memory of this process's own. It does on Linux only.
func (l Library) ownText() bool { return false }

// ForgetUse would have the system forget what code of large libraries was used. It does on Linux only.
func ForgetUse() {}

// OwnUsed would move code of large libraries that was used. It does on Linux only.
func OwnUsed() {}
