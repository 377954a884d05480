// Package sandbox confines the process that runs native kernels, so that a broken or hostile artifact harms nothing but
// itself.
//
// It has two sides. The parent calls Probe once, to learn what the machine offers, and Configure on the command that
// starts the child. The child calls Enter first thing in main, loads its runtime, and calls Seal before the first
// native call. On Linux the layers are namespaces, a read-only file system, resource limits, no_new_privs, Landlock and
// seccomp, all without cgo. Other systems have no layers, and Active says so.
//
// Processes that must reach each other over TCP, and no others, share a network. A parent that is started by
// ConfigureNetwork and calls EnterNetwork starts its confined children in its own network.
//
// If a layer is not available, the package records the reason; that is fatal only in mode Require. The package knows
// nothing of pipes, protocols or runtimes.
package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/invocations/remedy"
)

// Mode is how much confinement the user wants.
type Mode string

const (
	Auto    Mode = "auto"    // every layer that the machine offers; the others are reported
	Require Mode = "require" // every layer, or an error that names the missing one
	Off     Mode = "off"     // no layer; the child still dies with its parent
)

// ParseMode reads what a user wrote after --sandbox.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case Auto, Require, Off:
		return m, nil
	}
	return "", fmt.Errorf("sandbox mode %q: write auto, require or off", s)
}

// Layer is one mechanism of confinement. Results carry its name.
type Layer string

const (
	LayerUser       Layer = "user"         // user namespace: no privilege over anything outside
	LayerMount      Layer = "mount"        // mount namespace: everything read-only but the writable paths
	LayerNet        Layer = "net"          // network namespace without any connection to the outside
	LayerIPC        Layer = "ipc"          // System V and POSIX message queues of its own
	LayerNoNewPrivs Layer = "no-new-privs" // no_new_privs, without the capabilities that the process held
	LayerLandlock   Layer = "landlock"     // writing only below the writable paths, and not reading what is hidden
	LayerSeccomp    Layer = "seccomp"      // no new processes, sockets, mounts, tracing, or signals to others
	LayerRlimit     Layer = "rlimit"       // no core files; data, threads, file size and descriptors as Options say
	LayerPID        Layer = "pid"          // process namespace: what native code starts sees no others, and ends with it
)

// AllLayers returns the layers of every profile in the order in which they come into force. See Profile.Layers.
func AllLayers() []Layer {
	return []Layer{
		LayerUser, LayerMount, LayerNet, LayerIPC, LayerRlimit, LayerNoNewPrivs, LayerLandlock, LayerSeccomp,
	}
}

const (
	// LeastMemoryBytes is the smallest data limit that Configure accepts. An idle Go program holds about 75 MB of data:
	// its heap grows in pieces of 64 MiB, and the stack of each thread counts with 8 MiB.
	LeastMemoryBytes = 256 << 20
	// LeastOpenFiles is the smallest descriptor limit that Configure accepts: the executor keeps its pipes above number
	// 700, where native code does not reach them.
	LeastOpenFiles = 1024
)

// Options are what one child may do.
type Options struct {
	Mode    Mode
	Profile Profile
	// Scratch is the one writable folder. It must exist, and its path must be absolute. TMPDIR will be its subfolder
	// "tmp".
	Scratch     string
	MemoryBytes int64 // limit of private writable memory (RLIMIT_DATA); 0 for none
	// MappedBytes may be mapped beyond MemoryBytes. RLIMIT_DATA counts what is mapped, touched or not; a parent that
	// counts what is touched itself can allow more.
	MappedBytes int64
	// Threads limits the threads of the child (RLIMIT_NPROC); 0 for none. It holds only in a user namespace of its own,
	// where nobody else's count, and never for the machine's root, whom the kernel exempts.
	Threads int64
	// FileBytes limits the size of a file that is written (RLIMIT_FSIZE); 0 for none. A larger file ends the child by
	// SIGXFSZ.
	FileBytes int64
	OpenFiles uint64   // limit of open descriptors (RLIMIT_NOFILE); 0 keeps the inherited limit
	ReadWrite []string // further writable folders, files or devices, with absolute paths; usually none
	// Hidden are folders, with absolute paths, that the child may not read: those of users, above all. Where they are
	// given, the child may read nothing but the system's programs and libraries, devices that all programs use, what the
	// kernel tells of the machine and of the child, and what Read names; see readable. Landlock enforces it. Folders that do not exist are ignored.
	Hidden []string
	// Read are further files and folders, with absolute paths, that the child may read. Those that do not exist are
	// ignored.
	Read []string
	// Home is the child's HOME in profiles Device and Build: an existing folder, with an absolute path, which becomes writable and
	// keeps what is written there. If it is empty, HOME is a subfolder of Scratch.
	Home string
	// OwnTemporary gives the child an empty /tmp of its own in profile Build, for programs that ask nobody where temporary
	// files go. Paths below /tmp that these options name stay where they are. Without LayerMount, the child may write to the
	// machine's /tmp.
	OwnTemporary bool
	// AllowInet allows the child AF_INET and AF_INET6 sockets, for runtimes that serve their trace over TCP. In a
	// network namespace of its own, the loopback interface is then active, and nothing else can be reached.
	AllowInet bool
	// AllowExec allows the child execve. The child then replaces itself by another program after Seal and passes its
	// confinement on: the program may not start a second process either, but it may replace itself again.
	AllowExec bool
	// Supervise has the child's calls about files made by a thread of it that notes those which the sandbox refuses, in
	// profile Plain and if layer seccomp can (Linux 5.14). It makes such calls slower, and no others.
	Supervise bool
	// SharedNet keeps the child in the network namespace of this process, which EnterNetwork has prepared and which
	// counts as layer net. It is the link text that EnterNetwork returned; the child checks that it lives in another
	// namespace than that. If it is empty, the child gets a namespace of its own.
	SharedNet string

	processes bool // the child may start processes; in profile Device it has LayerPID then
	exposed   bool // it may start processes, and has no LayerPID
	mounted   bool // the child has LayerMount: it changes no modes of files that it may not write
}

// check returns what is wrong with o, with the name of the field, before any process is started.
func (o Options) check() error {
	if _, err := ParseMode(string(o.Mode)); err != nil {
		return err
	}
	if err := o.Profile.check(); err != nil {
		return err
	}
	if o.Mode == Off {
		return nil
	}
	if err := checkWritable("Scratch", o.Scratch); err != nil {
		return err
	}
	if o.Home != "" {
		if err := checkWritable("Home", o.Home); err != nil {
			return err
		}
	}
	if info, err := os.Stat(o.Scratch); err == nil && !info.IsDir() {
		return fmt.Errorf("sandbox: Scratch %s is not a folder", o.Scratch)
	}
	for _, path := range o.ReadWrite {
		if err := checkWritable("ReadWrite", path); err != nil {
			return err
		}
	}
	switch {
	case o.MemoryBytes != 0 && o.MemoryBytes < LeastMemoryBytes:
		return fmt.Errorf("sandbox: a memory limit of %d bytes does not hold the executor itself: "+
			"give at least %d, or 0 for none", o.MemoryBytes, int64(LeastMemoryBytes))
	case o.FileBytes < 0:
		return fmt.Errorf("sandbox: a file size limit of %d bytes: give 0 for none", o.FileBytes)
	case o.Threads < 0:
		return fmt.Errorf("sandbox: a limit of %d threads: give 0 for none", o.Threads)
	case o.OpenFiles != 0 && o.OpenFiles < LeastOpenFiles:
		return fmt.Errorf("sandbox: a limit of %d open files does not hold the executor's own pipes: "+
			"give at least %d, or 0 for none", o.OpenFiles, LeastOpenFiles)
	}
	return nil
}

// checkWritable refuses a path that cannot be a writable exception, above all the root folder: it would undo the
// confinement.
func checkWritable(field, path string) error {
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return fmt.Errorf("sandbox: %s %q is not an absolute path", field, path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("sandbox: %s must exist before the child starts: %w", field, err)
	}
	if filepath.Dir(real) == real {
		return remedy.With(fmt.Errorf("sandbox: %s %s is the root folder, so everything could be written; name a folder below it",
			field, path), remedy.Remedy{Kind: remedy.Choose, Name: "sandbox", Value: string(Off)})
	}
	return nil
}

// writable returns the paths that stay writable, each once, a folder before the paths inside it.
func (o Options) writable() []string {
	paths := []string{filepath.Clean(o.Scratch)}
	for _, path := range o.ReadWrite {
		paths = append(paths, filepath.Clean(path))
	}
	if o.Home != "" {
		paths = append(paths, filepath.Clean(o.Home))
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
