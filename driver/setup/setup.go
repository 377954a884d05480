// Package setup finds the runtimes that zonemark measures on this machine, and installs pinned ones into zonemark's
// cache.
//
// A component lives in a folder of its own, <cache>/runtimes/<name>-<version>. Its manifest, installed.json, is written
// last and in one step. A component without it is not installed, even if other files are there. A lock beside the
// folder makes two installations at once safe.
//
// The package does not contain the address of any package registry. Pip and cargo find theirs in the user's
// configuration, and their downloads are checked against pinned hashes. The package knows nothing of executors, which
// learn what they need from environment variables (see IREE.Environment).
package setup

import (
	"fmt"
	"os"
	"path/filepath"

	"zonemark/invocations/environ"
)

// Options tell where to look and install, and who receives messages. The zero value is ready to use; it has no
// environment variables.
type Options struct {
	// Home is the root of zonemark's cache. If it is empty, the root is CacheRoot.
	Home string
	// Python names an interpreter, or the folder of a virtual environment. Finding uses the IREE packages in it and
	// nothing else. Installing makes the private environment with it if it has no such packages.
	Python string
	// FindOnly has nothing installed: where something would be, the error is a *NotInstalledError.
	FindOnly bool
	// Variables are the environment variables to look up. Programs that an installation starts get them, too.
	Variables environ.Variables
	// Say receives messages for the user, a line at a time. It may be nil.
	Say func(format string, args ...any)
	// Progress receives the progress of an installation a few times a second. It is called from another goroutine than
	// the caller's, but never from two at once. It may be nil.
	Progress func(Progress)
}

// Progress is how far one step of an installation has come.
type Progress struct {
	Component string // "iree"
	Step      string // "downloading"
	Bytes     int64  // on disk so far; 0 in steps that are not counted in bytes
	// TotalBytes is roughly what Bytes will be at the end: Bytes may end below it or a little above. It is 0 if that is
	// not known.
	TotalBytes int64
	Done       int // finished steps of a build
	Total      int // all steps of the build; 0 if there is nothing to count
}

// NotInstalledError reports that a component is not on this machine, and that installing it would help.
type NotInstalledError struct {
	Component string // what "zonemark setup" installs
	Reason    string // what is missing
}

func (e *NotInstalledError) Error() string {
	return fmt.Sprintf("%s is not installed: %s; \"zonemark setup %s\" installs it", e.Component, e.Reason, e.Component)
}

// CacheRoot returns the root of zonemark's cache: $ZONEMARK_HOME, else the folder zonemark in the user's cache folder.
// It need not exist.
func CacheRoot(getenv func(string) string) (string, error) {
	home := getenv("ZONEMARK_HOME")
	if home == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("no place for the cache: %w; set ZONEMARK_HOME to a folder", err)
		}
		home = filepath.Join(user, "zonemark")
	}
	return filepath.Abs(home)
}

func (o Options) getenv(name string) string { return o.Variables.Lookup(name) }

func (o Options) say(format string, args ...any) {
	if o.Say != nil {
		o.Say(format, args...)
	}
}

func (o Options) progress(p Progress) {
	if o.Progress != nil {
		o.Progress(p)
	}
}

// runtimes returns the folder that holds the components.
func (o Options) runtimes() (string, error) {
	root := o.Home
	if root == "" {
		var err error
		if root, err = CacheRoot(o.getenv); err != nil {
			return "", err
		}
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	// Python reports real paths, and they are compared with the paths below this root.
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	return filepath.Join(root, "runtimes"), nil
}

// removeAll removes a folder; its name is in the error.
func removeAll(folder string) error {
	if err := os.RemoveAll(folder); err != nil {
		return fmt.Errorf("remove %s: %w", folder, err)
	}
	return nil
}
