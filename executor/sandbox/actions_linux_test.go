//go:build amd64 || arm64

package sandbox

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"zonemark/executor/sandbox/threads"

	"github.com/ebitengine/purego"
	"golang.org/x/sys/unix"
)

// childState is what a child reports about itself when it is sealed.
type childState struct {
	Active       Active
	PID          int
	OwnMounts    bool // it is in another mount namespace than its parent
	Unconfined   []string
	Capabilities []string // of every thread, without repetition
	CoreLimit    unix.Rlimit
	DataLimit    unix.Rlimit
	FilesLimit   unix.Rlimit
	FileLimit    unix.Rlimit
	UID          int
	Temporary    string
	MountTable   string
	OrderLeft    bool
}

// runChild runs as the confined child: it reports its state and answers actions until its input ends.
func runChild(s spec) error {
	parentMount := os.Getenv(parentMountVariable)
	a, err := Enter()
	if err != nil {
		return err
	}
	native, err := purego.Dlopen(s.Library, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return err
	}
	if !s.NoSeal {
		if err := a.Seal(); err != nil {
			return err
		}
	}
	c := confined{spec: s, active: &a, native: native, ownMounts: ownNamespace(LayerMount, parentMount) == nil}
	state, err := c.state(a)
	if err != nil {
		return err
	}
	text, err := json.Marshal(state)
	if err != nil {
		return err
	}
	fmt.Printf("%s\n", text)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		fmt.Println(c.perform(in.Text()))
	}
	return nil
}

type confined struct {
	active    *Active
	spec      spec
	native    uintptr
	ownMounts bool
}

func (c confined) state(a Active) (childState, error) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	s := childState{
		Active:     a,
		PID:        os.Getpid(),
		OwnMounts:  c.ownMounts,
		UID:        os.Getuid(),
		Temporary:  os.TempDir(),
		MountTable: string(mounts),
	}
	_, s.OrderLeft = os.LookupEnv(orderVariable)
	err = errors.Join(err,
		unix.Getrlimit(unix.RLIMIT_CORE, &s.CoreLimit), unix.Getrlimit(unix.RLIMIT_DATA, &s.DataLimit),
		unix.Getrlimit(unix.RLIMIT_NOFILE, &s.FilesLimit), unix.Getrlimit(unix.RLIMIT_FSIZE, &s.FileLimit))
	tasks, e := filepath.Glob("/proc/self/task/*/status")
	err = errors.Join(err, e)
	capabilities := map[string]bool{}
	for _, task := range tasks {
		text, e := os.ReadFile(task)
		err = errors.Join(err, e)
		if !strings.Contains(string(text), "Seccomp:\t2\n") || !strings.Contains(string(text), "NoNewPrivs:\t1\n") {
			s.Unconfined = append(s.Unconfined, task)
		}
		for line := range strings.Lines(string(text)) {
			if held, found := strings.CutPrefix(line, "CapPrm:\t"); found {
				capabilities[strings.TrimSpace(held)] = true
			}
		}
	}
	s.Capabilities = slices.Sorted(maps.Keys(capabilities))
	return s, err
}

// writeByThreads has every thread create a file outside, and returns the outcomes without repetition.
func (c confined) writeByThreads() string {
	path, err := unix.BytePtrFromString(filepath.Join(c.spec.Outside, "new"))
	if err != nil {
		return err.Error()
	}
	at := unix.AT_FDCWD
	create := []threads.Call{{Number: unix.SYS_OPENAT, Arguments: [5]uintptr{
		uintptr(at), uintptr(unsafe.Pointer(path)), unix.O_WRONLY | unix.O_CREAT, 0o600,
	}, Holds: path}}
	results, err := threads.Outcomes(create)
	if err != nil {
		return err.Error()
	}
	outcomes := map[string]bool{}
	for _, err := range results {
		outcomes[errnoName(err)] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(outcomes)), " ")
}

// openBesideSignals opens a file again and again while all threads get a signal that Go's runtime sends its threads, too.
// It returns an error if a call returns a descriptor that another file has.
func (c confined) openBesideSignals() error {
	all, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	end := make(chan struct{})
	defer close(end)
	go func() {
		for {
			for _, thread := range all {
				select {
				case <-end:
					return
				default:
					id, _ := strconv.Atoi(thread.Name())
					_ = unix.Tgkill(os.Getpid(), id, unix.SIGURG) // it may have ended
				}
			}
		}
	}()
	for range 5000 {
		fd, err := unix.Open(c.spec.Library, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return err
		case fd <= 2:
			return unix.EBADF
		}
		if err := unix.Close(fd); err != nil {
			return err
		}
	}
	return nil
}

// perform tries something and returns the outcome. It tries what would be harmful, if it worked, only in a mount
// namespace of its own.
func (c confined) perform(action string) string {
	if name, found := strings.CutPrefix(action, "native "); found {
		function, err := purego.Dlsym(c.native, name)
		if err != nil {
			return err.Error()
		}
		result, _, _ := purego.SyscallN(function)
		return strconv.FormatInt(int64(result), 10)
	}
	if action == "write outside by threads" {
		return c.writeByThreads()
	}
	if action == "open beside signals" {
		return errnoName(c.openBesideSignals())
	}
	if action == "refused files" {
		var list []string
		for _, one := range c.active.Refused() {
			list = append(list, fmt.Sprintf("%s %s %t %d", one.Call, one.Path, one.Write, one.Times))
		}
		return fmt.Sprintf("%s; %t", strings.Join(list, ", "), c.active.Supervised() > 0)
	}
	if action == "refused" {
		var list []string
		for _, one := range c.active.Refused() {
			list = append(list, one.Call)
		}
		return strings.Join(list, " ")
	}
	if path, found := strings.CutPrefix(action, "read /"); found {
		return errnoName(read("/" + path))
	}
	if path, found := strings.CutPrefix(action, "open "); found {
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
		if err == nil {
			err = unix.Close(fd)
		}
		return errnoName(err)
	}
	if path, found := strings.CutPrefix(action, "list "); found {
		_, err := os.ReadDir(path)
		return errnoName(err)
	}
	try, known := map[string]func() error{
		"write outside":           func() error { return create(filepath.Join(c.spec.Outside, "new")) },
		"write scratch":           func() error { return create(filepath.Join(c.spec.Options.Scratch, "new")) },
		"write working directory": func() error { return create("relative") },
		"write temporary":         func() error { return create(filepath.Join(os.TempDir(), "new")) },
		"write /tmp":              func() error { return create(c.spec.InTemporary) },
		"write system temporary":  func() error { return create(filepath.Dir(c.spec.Outside) + ".new") },
		"write too much": func() error {
			return os.WriteFile(filepath.Join(c.spec.Options.Scratch, "big"), make([]byte, 2<<20), 0o600)
		},
		"write null":    func() error { return os.WriteFile("/dev/null", []byte("x"), 0) },
		"write device":  func() error { return os.WriteFile("/dev/zero", []byte("x"), 0) },
		"read artifact": func() error { return read(c.spec.Library) },
		"read foreign":  func() error { return read(c.spec.ForeignFile) },
		"load library": func() error {
			_, err := purego.Dlopen(c.spec.Library, purego.RTLD_NOW|purego.RTLD_GLOBAL)
			return err
		},
		"generate code": generateCode,
		"socket inet":   func() error { return socket(unix.AF_INET) },
		"socket unix":   func() error { return socket(unix.AF_UNIX) },
		"socket packet": func() error { return socket(unix.AF_NETLINK) },
		"socketpair": func() error {
			var ends [2]int32
			_, _, errno := unix.Syscall6(unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_STREAM, 0,
				uintptr(unsafe.Pointer(&ends)), 0, 0)
			return errnoOrNil(errno)
		},
		"connect outside":  func() error { return connect([4]byte{192, 0, 2, 1}, 9) }, // a documentation address (RFC 5737)
		"connect loopback": connectLoopback,
		"fork": func() error {
			function, err := purego.Dlsym(c.native, "try_fork")
			if err != nil {
				return err
			}
			if errno, _, _ := purego.SyscallN(function); errno != 0 {
				return syscall.Errno(errno)
			}
			return nil
		},
		"become a shell": func() error { // the shell runs an endless loop
			runtime.LockOSThread() // so that another thread calls exec
			failed := make(chan error)
			go func() {
				loop := []string{"/bin/sh", "-c", "echo became a shell; while :; do :; done"}
				failed <- c.active.Become(loop, os.Environ())
			}()
			return <-failed
		},
		// ENOENT if exec is allowed.
		"exec": func() error {
			path, err := unix.BytePtrFromString("/nonexistent/program")
			if err != nil {
				return err
			}
			_, err = call(unix.SYS_EXECVE, uintptr(unsafe.Pointer(path)), 0, 0)
			return err
		},
		// Changes nothing if it is allowed.
		"unshare": func() error { return unix.Unshare(0) },
		"ptrace": func() error { // ESRCH if it is allowed: there is no such process
			_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_PEEKUSR, 1<<30, 0, 0, 0, 0)
			return errnoOrNil(errno)
		},
		"mount": func() error {
			return c.inOwnMounts(func() error {
				return unix.Mount("none", c.spec.Options.Scratch, "tmpfs", 0, "size=64k")
			})
		},
		"make writable": func() error {
			return c.inOwnMounts(func() error {
				return unix.MountSetattr(unix.AT_FDCWD, "/", 0, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY})
			})
		},
		"signal parent": func() error { return kill(os.Getppid()) },
		"signal init":   func() error { return kill(1) },
		"signal group":  func() error { return kill(0) },
		"signal all":    func() error { return kill(-1) },
		"signal self":   func() error { return kill(os.Getpid()) },
		"tgkill self":   func() error { return tgkill(os.Getpid(), unix.Gettid()) },
		"tgkill parent": func() error { return tgkill(os.Getppid(), os.Getppid()) },
		"pidfd signal": func() error {
			fd, err := unix.PidfdOpen(os.Getppid(), 0)
			if err != nil {
				return err
			}
			return unix.PidfdSendSignal(fd, 0, nil, 0)
		},
		"outlive parent":   func() error { return unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0) },
		"raise core limit": func() error { return unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: 1, Max: 1}) },
		"raise data limit": func() error {
			return unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: 1 << 40, Max: 1 << 40})
		},
		"read parent limits": func() error { return unix.Prlimit(os.Getppid(), unix.RLIMIT_CORE, nil, &unix.Rlimit{}) },
	}[action]
	if !known {
		return "unknown action " + action
	}
	return errnoName(try())
}

// inOwnMounts changes mounts only in a mount namespace that no other process sees.
func (c confined) inOwnMounts(f func() error) error {
	if !c.ownMounts {
		return errors.New("not tried: no mount namespace of its own")
	}
	return f()
}

func create(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return f.Close()
}

func read(path string) error {
	_, err := os.ReadFile(path)
	return err
}

// kill and tgkill send signal 0, which only checks.
func kill(process int) error {
	_, err := call(unix.SYS_KILL, uintptr(process), 0, 0)
	return err
}

func tgkill(process, thread int) error {
	_, err := call(unix.SYS_TGKILL, uintptr(process), uintptr(thread), 0)
	return err
}

func socket(family int) error {
	_, err := call(unix.SYS_SOCKET, uintptr(family), unix.SOCK_DGRAM, 0)
	return err
}

// call makes a system call as native code does: it keeps no processor of Go's scheduler while it waits for the arbiter,
// which may need it. Go's own calls of exec, socket and kill keep theirs, and all stood still now and then.
func call(number, a, b, c uintptr) (int, error) {
	result, _, errno := unix.Syscall(number, a, b, c)
	return int(result), errnoOrNil(errno)
}

// connect connects to a port of an address.
func connect(address [4]byte, port int) error {
	fd, err := call(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Connect(fd, &unix.SockaddrInet4{Port: port, Addr: address})
}

func connectLoopback() error {
	fd, err := call(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	loopback := [4]byte{127, 0, 0, 1}
	if err := errors.Join(unix.Bind(fd, &unix.SockaddrInet4{Addr: loopback}), unix.Listen(fd, 1)); err != nil {
		return err
	}
	at, err := unix.Getsockname(fd)
	if err != nil {
		return err
	}
	return connect(loopback, at.(*unix.SockaddrInet4).Port)
}

// generateCode does what a just-in-time compiler does: it writes a function into memory and calls it.
func generateCode() error {
	memory, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return err
	}
	copy(memory, returnSeven)
	if got, _, _ := purego.SyscallN(addressOf(memory)); got != 7 {
		return fmt.Errorf("generated code returned %d", got)
	}
	return nil
}

func errnoOrNil(errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}

func addressOf(memory []byte) uintptr { return uintptr(unsafe.Pointer(&memory[0])) }
