package sandbox

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"zonemark/executor/sandbox/seccomp"

	"golang.org/x/sys/unix"
)

// Probe finds out what the machine offers children of this process. It takes a few clones of a few hundred
// microseconds; a caller does it once and keeps the result. It changes nothing in the calling process.
func Probe() Support {
	s := Support{Missing: map[Layer]string{}}
	probeNamespaces(&s, identities())
	s.record(LayerRlimit, nil)
	_, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
	s.record(LayerNoNewPrivs, err)
	_, err = landlockABI()
	s.record(LayerLandlock, err)
	s.record(LayerSeccomp, seccomp.Probe())
	return s
}

// record records whether a layer is available.
func (s *Support) record(l Layer, err error) {
	if err != nil {
		s.Missing[l] = err.Error()
		return
	}
	s.Layers = append(s.Layers, l)
}

// identities returns the maps of a user namespace to try, best first: all ids of this process's own namespace, which
// keeps other users' files readable for root, then its own ids alone, which needs no privilege.
func identities() []idRanges {
	own := idRanges{users: []idRange{{os.Geteuid(), 1}}, groups: []idRange{{os.Getegid(), 1}}}
	users, err := readIDMap("/proc/self/uid_map")
	if err != nil {
		return []idRanges{own}
	}
	groups, err := readIDMap("/proc/self/gid_map")
	if err != nil {
		return []idRanges{own}
	}
	return []idRanges{{users: users, groups: groups, setgroups: true}, own}
}

func readIDMap(path string) ([]idRange, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	ranges, err := parseIDMap(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return ranges, nil
}

// probeNamespaces tries the clone flags: all of them inside a user namespace with the first identity that works, or
// without a user namespace if none works, which is enough for root.
func probeNamespaces(s *Support, tries []idRanges) {
	err := errors.New("not tried")
	for _, ids := range tries {
		if err = tryNamespaces(unix.CLONE_NEWUSER, ids); err == nil {
			s.ids = ids
			break
		}
	}
	s.record(LayerUser, err)
	base, all := uintptr(0), uintptr(0)
	if err == nil {
		base = unix.CLONE_NEWUSER
	}
	for _, n := range namespaces() {
		if n.layer != LayerUser {
			all |= n.flag
		}
	}
	together := tryNamespaces(base|all, s.ids) == nil
	for _, n := range namespaces() {
		switch {
		case n.layer == LayerUser:
		case together:
			s.record(n.layer, nil)
		default:
			s.record(n.layer, tryNamespaces(base|n.flag, s.ids))
		}
	}
}

// tryNamespaces starts a program without a name with the given clone flags. The kernel makes the namespaces, maps the
// ids and raises the capabilities before it looks for the program. Thus ENOENT means that all of this works. No program
// is ever run.
func tryNamespaces(flags uintptr, ids idRanges) error {
	attr := &syscall.SysProcAttr{}
	setNamespaces(attr, flags, ids)
	_, err := syscall.ForkExec("", []string{"probe"}, &syscall.ProcAttr{Sys: attr})
	if errors.Is(err, syscall.ENOENT) {
		return nil
	}
	if err == nil {
		err = errors.New("a program without a name was started")
	}
	return fmt.Errorf("clone: %w", err)
}

// setNamespaces asks for the namespaces. In a user namespace the child keeps its ids. It receives ambient capabilities,
// which survive its first exec with any id: those that Enter needs to mount (a stacked file system works in a folder of
// mode 0), to activate the loopback interface, and to give all of them up.
func setNamespaces(attr *syscall.SysProcAttr, flags uintptr, ids idRanges) {
	attr.Cloneflags |= flags
	if flags&unix.CLONE_NEWUSER == 0 {
		return
	}
	attr.UidMappings, attr.GidMappings = idMappings(ids.users), idMappings(ids.groups)
	attr.GidMappingsEnableSetgroups = ids.setgroups
	attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP, unix.CAP_DAC_OVERRIDE}
}

func idMappings(ranges []idRange) []syscall.SysProcIDMap {
	var m []syscall.SysProcIDMap
	for _, r := range ranges {
		m = append(m, syscall.SysProcIDMap{ContainerID: r.First, HostID: r.First, Size: r.Count})
	}
	return m
}
