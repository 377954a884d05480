package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// namespace is a layer that is a namespace, with the ways to request and to identify it.
type namespace struct {
	layer Layer
	flag  uintptr // of clone(2)
	link  string  // the text of this link names the namespace of this process
}

// namespaces returns the layers made by clone flags. The child itself is never started in LayerPID: the first process
// of such a namespace ignores signals that it sends itself, so that an abort would look like something else. See
// hostProcesses. In profile Plain it is not needed, because seccomp allows no further process.
func namespaces() []namespace {
	return []namespace{
		{LayerUser, unix.CLONE_NEWUSER, "/proc/self/ns/user"},
		{LayerMount, unix.CLONE_NEWNS, "/proc/self/ns/mnt"},
		{LayerNet, unix.CLONE_NEWNET, "/proc/self/ns/net"},
		{LayerIPC, unix.CLONE_NEWIPC, "/proc/self/ns/ipc"},
		{LayerPID, unix.CLONE_NEWPID, "/proc/self/ns/pid"},
	}
}

// namespaceLinks returns the link texts of this process's namespaces. It leaves out those that cannot be read.
func namespaceLinks() map[Layer]string {
	links := map[Layer]string{}
	for _, n := range namespaces() {
		if text := n.text(); text != "" {
			links[n.layer] = text
		}
	}
	return links
}

// text returns the link text of this process's namespace; "" if it cannot be read.
func (n namespace) text() string {
	text, err := os.Readlink(n.link)
	if err != nil {
		return ""
	}
	return text
}

// ownNamespace returns nil if this process lives in another namespace than its parent, whose link text is given.
func ownNamespace(l Layer, parent string) error {
	own := ""
	for _, n := range namespaces() {
		if n.layer == l {
			own = n.text()
		}
	}
	kind, _, _ := strings.Cut(own, "[")
	switch {
	case own == "":
		return errors.New("its link below /proc/self/ns cannot be read")
	case !strings.HasPrefix(parent, kind+"[") || !strings.HasSuffix(parent, "]"):
		return fmt.Errorf("the parent's %s namespace is not known (%q)", l, parent)
	case own == parent:
		return fmt.Errorf("this process lives in its parent's %s namespace %s", l, own)
	}
	return nil
}

// loopbackUp activates the loopback interface of this process's own network namespace.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("loopback interface: %w", err)
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return fmt.Errorf("loopback interface: %w", err)
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request); err != nil {
		return fmt.Errorf("loopback interface: %w", err)
	}
	return nil
}
