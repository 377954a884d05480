package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"zonemark/executor/sandbox/signals"

	"golang.org/x/sys/unix"
)

// These are descriptors of the first process of a process namespace.
const (
	lifeDescriptor  = 3 // ends when the host does
	readyDescriptor = 4 // takes a firstReport
)

// firstReport is what the first process of a namespace says to its host.
type firstReport struct{ Error string }

// hostProcesses puts a confined process into a process namespace. This process becomes its host: it starts two others
// in a new namespace, which are this program again with the same arguments. The first one there mounts a /proc of the
// namespace and then waits; the kernel ends everything in the namespace with it, and it ends when the host does. The
// second is the one that the parent wants. It gets this process's order and all descriptors that were passed on. The
// host arbitrates its system calls and ends as it has ended.
//
// hostProcesses thus returns only if there can be no such namespace, with the reason, and has then changed nothing. The
// confined process itself cannot be the first one: the kernel keeps from such a process the signals that it sends
// itself. A process cannot enter a namespace itself either, but only its children.
func hostProcesses(o order, parentMount string) error {
	if err := ownNamespace(LayerMount, parentMount); err != nil {
		return fmt.Errorf("no mount namespace of its own: %w", err)
	}
	passed, err := passedOn()
	if err != nil {
		return err
	}
	failed := make(chan error)
	go func() {
		// From here on, this thread can start processes in the new namespace only, and no threads.
		runtime.LockOSThread() // for ever: the thread ends with this goroutine
		h := host{order: o, parentMount: parentMount, passed: passed}
		failed <- h.run()
	}()
	return <-failed
}

// passedOn returns the descriptors, at their numbers, that this process's parent has passed on to it.
func passedOn() (files []uintptr, err error) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil, fmt.Errorf("open descriptors: %w", err)
	}
	for _, e := range entries {
		n, err := strconv.Atoi(e.Name())
		if err != nil {
			return nil, fmt.Errorf("open descriptors: %w", err)
		}
		flags, err := unix.FcntlInt(uintptr(n), unix.F_GETFD, 0)
		if err != nil || flags&unix.FD_CLOEXEC != 0 { // it was closed meanwhile, or is Go's own
			continue
		}
		for len(files) <= n {
			files = append(files, ^uintptr(0))
		}
		files[n] = uintptr(n)
	}
	return files, nil
}

// host is the process outside of a process namespace that has started those inside.
type host struct {
	order       order
	parentMount string
	passed      []uintptr // descriptors that it was given, at their numbers

	first, inside int      // process numbers
	processes     *os.File // /proc, which shows what is in the namespace and what is outside
	life          *os.File // while it is open, the namespace lives
	control       *os.File // leads to the process inside
}

// run hosts, on a thread that ends with it. It returns only if the namespace cannot be made.
func (h *host) run() (err error) {
	// The first process will cover it.
	if h.processes, err = os.Open("/proc"); err != nil {
		return err
	}
	if err := unix.Unshare(unix.CLONE_NEWPID); err != nil {
		return fmt.Errorf("a process namespace: %w", err)
	}
	if err := h.startFirst(); err != nil {
		h.end()
		return err
	}
	if err := h.startInside(); err != nil {
		// There is a new /proc already, so nothing else can be done instead.
		h.fail(err)
	}
	for number, fd := range h.passed {
		if fd != ^uintptr(0) && number > 2 {
			unix.Close(number)
		}
	}
	// The host finds its descriptors below this folder.
	if err := h.processes.Chdir(); err != nil {
		h.fail(err)
	}
	go h.arbitrate()
	status, err := waitFor(h.inside)
	if err != nil {
		h.fail(err)
	}
	h.end()
	if status.Signaled() {
		h.fail(signals.End(status.Signal()))
	}
	os.Exit(status.ExitStatus())
	return nil
}

// fail ends this process, and with it all others, by an error.
func (h *host) fail(err error) {
	h.end()
	fmt.Fprintf(os.Stderr, "sandbox: processes: %v\n", err)
	os.Exit(1)
}

// end ends everything in the namespace and waits until it has ended.
func (h *host) end() {
	if h.first != 0 {
		_ = unix.Kill(h.first, unix.SIGKILL) // it may have ended
		_, _ = waitFor(h.first)
		h.first = 0
	}
}

// start starts this program again in the namespace.
func (h *host) start(o order, files []uintptr) (pid int, err error) {
	entry, err := o.encode()
	if err != nil {
		return 0, err
	}
	environment := append(withoutOrder(os.Environ()), entry, parentMountVariable+"="+h.parentMount)
	// With Pdeathsig, Go would look for the parent, which is not in the namespace.
	attr := &syscall.ProcAttr{Env: environment, Files: files, Sys: &syscall.SysProcAttr{Setpgid: true}}
	return syscall.ForkExec("/proc/self/exe", os.Args, attr)
}

// startFirst starts the first process and waits until it is ready.
func (h *host) startFirst() error {
	lifeEnd, life, err := os.Pipe()
	if err != nil {
		return err
	}
	defer lifeEnd.Close()
	h.life = life
	ready, readyEnd, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ready.Close()
	o := h.order
	o.Role = roleFirst
	h.first, err = h.start(o, []uintptr{^uintptr(0), ^uintptr(0), 2, lifeEnd.Fd(), readyEnd.Fd()})
	readyEnd.Close()
	if err != nil {
		return fmt.Errorf("its first process: %w", err)
	}
	text, err := io.ReadAll(ready)
	if err != nil {
		return fmt.Errorf("its first process: %w", err)
	}
	var r firstReport
	if err := json.Unmarshal(text, &r); err != nil {
		return errors.New("its first process ended at once")
	}
	if r.Error != "" {
		return errors.New(r.Error)
	}
	return nil
}

// startInside starts the process that is to be confined.
func (h *host) startInside() error {
	own, theirs, err := newHostLink()
	if err != nil {
		return err
	}
	defer theirs.Close()
	h.control = own
	o := h.order
	o.Role, o.ParentPID = roleInside, 0 // it does not see its parent
	files := append([]uintptr{}, h.passed...)
	for len(files) <= 2 {
		files = append(files, ^uintptr(0))
	}
	o.Control = len(files)
	h.inside, err = h.start(o, append(files, theirs.Fd()))
	return err
}

// waitFor waits for the end of a child.
func waitFor(pid int) (status syscall.WaitStatus, err error) {
	for {
		_, err = syscall.Wait4(pid, &status, 0, nil)
		if !errors.Is(err, syscall.EINTR) {
			return status, err
		}
	}
}

// beFirst is the whole work of the first process of a namespace. It does not return.
func beFirst(parentMount string) {
	report := firstReport{}
	if err := mountProcesses(parentMount); err != nil {
		report.Error = err.Error()
	}
	text, err := json.Marshal(report)
	if err != nil {
		os.Exit(1)
	}
	// Processes whose parents have ended become children of this one. The kernel buries them.
	if _, err := signals.Exchange(unix.SIGCHLD, signals.Action{Handler: ignoreSignal}); err != nil {
		os.Exit(1)
	}
	ready, life := os.NewFile(readyDescriptor, "ready"), os.NewFile(lifeDescriptor, "life")
	if _, err := ready.Write(text); err != nil || report.Error != "" {
		os.Exit(1)
	}
	ready.Close()
	_, _ = io.ReadAll(life)
	os.Exit(0)
}

// ignoreSignal is SIG_IGN.
const ignoreSignal = 1

// mountProcesses mounts the /proc of this process's own namespace, read-only as all else will be.
func mountProcesses(parentMount string) error {
	if err := ownNamespace(LayerMount, parentMount); err != nil {
		return fmt.Errorf("refusing to mount: %w", err)
	}
	if os.Getpid() != 1 {
		return fmt.Errorf("process %d is not the first of a namespace", os.Getpid())
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	const flags = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	// The mount is read-only, and not all of the file system: makeThreadNamesWritable mounts a part of it. Where the
	// machine's own /proc is read-only, the kernel makes none that is not.
	err := unix.Mount("proc", "/proc", "proc", flags, "")
	if err == nil {
		err = unix.MountSetattr(unix.AT_FDCWD, "/proc", 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
	} else {
		err = unix.Mount("proc", "/proc", "proc", flags|unix.MS_RDONLY, "")
	}
	if err != nil {
		return fmt.Errorf("a /proc of the namespace: %w", err)
	}
	if self, err := os.Readlink("/proc/self"); err != nil || strings.TrimSpace(self) != "1" {
		return fmt.Errorf("/proc is not that of the namespace (%q, %v)", self, err)
	}
	return nil
}
