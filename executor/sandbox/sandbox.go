// Package sandbox confines the process that runs native kernels, so that a broken or hostile artifact harms nothing but itself.
//
// It has two sides. The parent asks Probe once what the machine can do and calls Configure on the command that starts the child. The
// child calls Enter first thing in main, loads its runtime, and calls Seal before the first native call. On Linux the layers are
// namespaces, a read-only file system, resource limits, no_new_privs, Landlock and seccomp, all without cgo; elsewhere there are none, and
// Active says so.
//
// Processes that must reach each other over TCP, and nobody else, share a network: a parent that is started by ConfigureNetwork and calls EnterNetwork
// starts its confined children in its own one.
//
// A layer that is not to be had is recorded with its reason and never fatal, unless the mode is Require. The package imports nothing
// of zonemark and knows nothing of pipes, protocols or runtimes.
package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Mode says how much confinement the user wants.
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

// Layer is one mechanism of confinement, by the name that results carry.
type Layer string

const (
	LayerUser       Layer = "user"         // user namespace: no privilege over anything outside
	LayerMount      Layer = "mount"        // mount namespace: everything read-only but the writable paths
	LayerNet        Layer = "net"          // network namespace without any way out
	LayerIPC        Layer = "ipc"          // System V and POSIX message queues of its own
	LayerNoNewPrivs Layer = "no-new-privs" // no_new_privs, and the capabilities that are held are given up
	LayerLandlock   Layer = "landlock"     // writing only below the writable paths
	LayerSeccomp    Layer = "seccomp"      // no new processes, sockets, mounts, tracing, or signals to others
	LayerRlimit     Layer = "rlimit"       // no core files; data, file size and descriptors as Options say
)

// AllLayers are the layers in the order in which they come into force.
func AllLayers() []Layer {
	return []Layer{LayerUser, LayerMount, LayerNet, LayerIPC, LayerRlimit, LayerNoNewPrivs, LayerLandlock, LayerSeccomp}
}

const (
	// LeastMemoryBytes is the smallest data limit that Configure accepts. An idle Go program holds about 75 MB of data, as its heap
	// grows in pieces of 64 MiB, and the stack of each thread counts with 8 MiB.
	LeastMemoryBytes = 256 << 20
	// LeastOpenFiles is the smallest descriptor limit that Configure accepts: the executor keeps its pipes above number 700, out of
	// the reach of native code.
	LeastOpenFiles = 1024
)

// Options say what one child may do.
type Options struct {
	Mode        Mode
	Scratch     string   // the one writable folder: it exists and its path is absolute; TMPDIR will be its subfolder "tmp"
	MemoryBytes int64    // limit of private writable memory (RLIMIT_DATA); 0 for none
	FileBytes   int64    // limit of the size of a file written (RLIMIT_FSIZE); exceeding it ends the child by SIGXFSZ; 0 for none
	OpenFiles   uint64   // limit of open descriptors (RLIMIT_NOFILE); 0 leaves the inherited one
	ReadWrite   []string // further writable folders, files or devices, with absolute paths; usually none
	// AllowInet leaves AF_INET and AF_INET6 sockets to the child, for runtimes that serve their trace over TCP. In a network namespace of
	// its own the loopback interface is then up, and still nothing else can be reached.
	AllowInet bool
	// AllowExec leaves execve to the child, which then replaces itself by another program after Seal and hands its confinement on: the program may not start a
	// second process either, but it may replace itself in turn.
	AllowExec bool
	// SharedNet leaves the child in the network namespace of this process, which EnterNetwork has prepared and which counts as layer net: the
	// link text that EnterNetwork returned. The child checks that it lives in another one. Empty: the child gets a namespace of its own.
	SharedNet string
}

// check says what is wrong with o, naming the field, before any process is started.
func (o Options) check() error {
	if _, err := ParseMode(string(o.Mode)); err != nil {
		return err
	}
	if o.Mode == Off {
		return nil
	}
	if err := checkWritable("Scratch", o.Scratch); err != nil {
		return err
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
		return fmt.Errorf("sandbox: a memory limit of %d bytes does not hold the executor itself: give at least %d, or 0 for none", o.MemoryBytes, int64(LeastMemoryBytes))
	case o.FileBytes < 0:
		return fmt.Errorf("sandbox: a file size limit of %d bytes: give 0 for none", o.FileBytes)
	case o.OpenFiles != 0 && o.OpenFiles < LeastOpenFiles:
		return fmt.Errorf("sandbox: a limit of %d open files does not hold the executor's own pipes: give at least %d, or 0 for none", o.OpenFiles, LeastOpenFiles)
	}
	return nil
}

// checkWritable refuses a path that cannot be a writable exception, the root folder above all: it would undo the confinement.
func checkWritable(field, path string) error {
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return fmt.Errorf("sandbox: %s %q is not an absolute path", field, path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("sandbox: %s must exist before the child starts: %w", field, err)
	}
	if filepath.Dir(real) == real {
		return fmt.Errorf("sandbox: %s %s is the root folder: a sandbox in which everything is writable is none; use --sandbox=off", field, path)
	}
	return nil
}

// writable are the paths that stay writable, enclosing ones before those inside them, each once.
func (o Options) writable() []string {
	paths := []string{filepath.Clean(o.Scratch)}
	for _, path := range o.ReadWrite {
		paths = append(paths, filepath.Clean(path))
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
