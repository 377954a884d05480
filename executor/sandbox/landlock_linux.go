package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"unsafe"

	"zonemark/executor/sandbox/threads"

	"golang.org/x/sys/unix"
)

// Rights of Landlock by the version of its interface that introduced them (landlock(7)). Executing stays allowed as far
// as reading does. So do ioctls on devices (version 5): that a path is writable says nothing about them.
const (
	landlockWrites1 = unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO |
		unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
	landlockWrites2 = landlockWrites1 | unix.LANDLOCK_ACCESS_FS_REFER
	landlockWrites3 = landlockWrites2 | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	landlockReads   = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	// landlockFile are the rights that a rule may hold for something other than a folder.
	landlockFile = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE |
		unix.LANDLOCK_ACCESS_FS_READ_FILE
	landlockScopes6 = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
)

// landlockABI returns the version of the kernel's Landlock interface.
func landlockABI() (int, error) {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, fmt.Errorf("landlock: %w", errno)
	}
	return int(version), nil
}

// landlockThreadSignals is the number of the error that threads of a process could not signal each other, since each
// restricts itself (landlock(7), errata).
const landlockThreadSignals = 2

// landlockRepaired reports whether an error of the kernel's Landlock is repaired.
func landlockRepaired(erratum int) bool {
	repaired, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_ERRATA)
	return errno == 0 && repaired>>(erratum-1)&1 != 0
}

// landlockRuleset returns what this version of the interface can forbid, and the size of the structure in this version.
func landlockRuleset(abi int) (unix.LandlockRulesetAttr, uintptr) {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: landlockWrites1}
	size := unsafe.Sizeof(attr.Handled_access_fs)
	if abi >= 2 {
		attr.Handled_access_fs = landlockWrites2
	}
	if abi >= 3 {
		attr.Handled_access_fs = landlockWrites3
	}
	if abi >= 6 {
		attr.Scoped = landlockScopes6 // no signals and no abstract sockets to processes outside
		if abi == 6 && !landlockRepaired(landlockThreadSignals) {
			attr.Scoped &^= unix.LANDLOCK_SCOPE_SIGNAL
		}
		size = unsafe.Offsetof(attr.Scoped) + unsafe.Sizeof(attr.Scoped)
	}
	return attr, size
}

// restrictingFiles returns the call that forbids a thread, and what it executes, to write anywhere except below the given
// paths and to /dev/null, and to read what the options hide. The caller closes what the call refers to.
func restrictingFiles(writable []string, o Options) (call threads.Call, end func(), err error) {
	abi, err := landlockABI()
	if err != nil {
		return call, nil, err
	}
	attr, size := landlockRuleset(abi)
	if o.processes && o.Profile != Build { // they signal each other, and none outside of their namespace
		attr.Scoped &^= unix.LANDLOCK_SCOPE_SIGNAL
	}
	if len(o.Hidden) > 0 {
		attr.Handled_access_fs |= landlockReads
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return call, nil, fmt.Errorf("landlock: making a set of rules: %w", errno)
	}
	rules := ruleset{fd: int(fd), passed: o.AllowExec}
	if err := rules.fill(writable, attr.Handled_access_fs, o); err != nil {
		rules.end()
		return call, nil, err
	}
	return threads.Call{
		Name: "landlock: restricting a thread", Number: unix.SYS_LANDLOCK_RESTRICT_SELF, Arguments: [5]uintptr{fd},
	}, rules.end, nil
}

// fill makes the rules: all that is handled for writable paths, and reading for what the options let be read.
func (r ruleset) fill(writable []string, handled uint64, o Options) error {
	for _, path := range append([]string{"/dev/null"}, writable...) {
		if err := r.allow(path, handled); err != nil {
			return err
		}
	}
	if o.Profile.namesThreads() {
		names := handled & (unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE)
		if err := r.allow(threadFiles(), names); err != nil {
			return err
		}
	}
	if len(o.Hidden) > 0 {
		for _, path := range o.readable() {
			if err := r.allow(path, landlockReads); err != nil && !isAbsent(err) {
				return err
			}
		}
		for _, path := range o.ReadWrite { // drivers look for their devices
			if folder := filepath.Dir(path); strings.HasPrefix(folder, "/dev/") {
				if err := r.allow(folder, unix.LANDLOCK_ACCESS_FS_READ_DIR); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// ruleset is a set of rules of Landlock under construction.
type ruleset struct {
	fd     int
	passed bool // this process becomes another program
}

// end ends the set. Threads that it restricts stay restricted.
func (r ruleset) end() { unix.Close(r.fd) }

// allow adds a rule that grants the rights at path and below it.
func (r ruleset) allow(path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return &fs.PathError{Op: "landlock: opening", Path: path, Err: err} // cheap: most of what may be needed is not there
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return fmt.Errorf("landlock: %s: %w", path, err)
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= landlockFile
	}
	// The kernel's structure is packed and has 12 bytes. Go's has the same offsets, and 4 more bytes at the end that
	// the kernel does not read.
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("landlock: a rule for %s: %w", path, errno)
	}
	if strings.HasPrefix(path, toldOfProcesses+"/") {
		return r.hold(fd)
	}
	return nil
}

// hold keeps a file of /proc open as long as this process lives. A rule belongs to the file as the kernel has it in
// memory. It may drop those of /proc when memory is short, and makes others when they are looked up again, unless
// somebody has them open.
func (r ruleset) hold(fd int) error {
	keep := unix.F_DUPFD_CLOEXEC
	if r.passed {
		keep = unix.F_DUPFD
	}
	_, err := unix.FcntlInt(uintptr(fd), keep, controlFloor)
	if errors.Is(err, unix.EINVAL) { // such numbers are beyond the limit of descriptors
		_, err = unix.FcntlInt(uintptr(fd), keep, 0)
	}
	if err != nil {
		return fmt.Errorf("landlock: holding a file of %s open: %w", toldOfProcesses, err)
	}
	return nil
}
