//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zonemark/executor/sandbox/sandboxtest"
)

// TestHidden checks what a child can read of a folder that is hidden, and of the system's secrets.
func TestHidden(t *testing.T) {
	machineHas(t, AllLayers()...)
	for _, uid := range users() {
		w := newWorkplace(t, uid)
		home := filepath.Join(filepath.Dir(w.scratch), "home")
		for _, path := range []string{"key", "kernels/data", "kernels/more/data"} {
			path = filepath.Join(home, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("text"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		s := w.spec(uid)
		s.Options.Hidden = []string{home, "/nonexistent"}
		s.Options.Read = []string{filepath.Join(home, "kernels"), "/nonexistent/too", w.library}
		c := start(t, s)
		want := map[string]string{
			"read " + home + "/key": "EACCES", "read " + home + "/kernels/data": "ok",
			"read " + home + "/kernels/more/data": "ok", "read /etc/passwd": "ok", "read /etc/hostname": "EACCES",
			"read /etc/shadow": "EACCES", "list " + home: "EACCES", "list " + home + "/kernels": "ok", "list /etc": "EACCES",
			"list /usr/lib": "ok", "read /proc/self/status": "ok", "read /sys/devices/system/cpu/online": "ok",
			"read " + w.foreign: "EACCES", "write scratch": "ok", "write outside": "EROFS", "load library": "ok",
		}
		got := map[string]string{}
		for action := range want {
			got[action] = c.do(t, action)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("uid %d: outcomes (-want +got):\n%s", uid, diff)
		}
	}
}

// TestDevicesAndProcesses checks that a child cannot open a terminal or another device than those that all programs use,
// each of two layers alone, and what it is told of the machine and of other processes.
func TestDevicesAndProcesses(t *testing.T) {
	machineHas(t, AllLayers()...)
	outside := fmt.Sprintf("read /proc/%d/", os.Getpid())
	everywhere := map[string]string{
		"open /dev/null": "ok", "open /dev/zero": "ok", "open /dev/full": "ok", "open /dev/random": "ok",
		"open /dev/urandom": "ok", "open /dev/ptmx": "EACCES", "open /dev/tty": "EACCES", "open /dev/kmsg": "EACCES",
		"read /proc/self/cmdline": "ok", "read /proc/self/task": "EISDIR", "read /proc/self/mounts": "ok",
		"read /proc/cpuinfo": "ok", "read /proc/meminfo": "ok", "read /proc/stat": "ok", "read /proc/filesystems": "ok",
		"read /proc/sys/vm/overcommit_memory": "ok", "read /sys/devices/system/cpu/online": "ok",
		"list /sys/class": "ok", "list /proc/self/fd": "ok",
	}
	byLandlock := map[string]string{
		outside + "cmdline": "EACCES", outside + "stat": "EACCES", "list /proc": "EACCES", "list /dev": "EACCES",
		"read /proc/interrupts": "EACCES", "list /sys/kernel": "EACCES",
	}
	for _, uid := range users() {
		for _, without := range []Layer{"", LayerMount, LayerLandlock} {
			w := newWorkplace(t, uid)
			s := w.spec(uid)
			s.Options.Hidden, s.Options.Read = []string{"/root", "/home"}, []string{w.library}
			if without != "" {
				s.Without = []Layer{without}
			}
			want := maps.Clone(everywhere)
			want["open "+sandboxtest.Terminal(t, uid)] = "EACCES"
			if without != LayerLandlock {
				maps.Copy(want, byLandlock)
			}
			c, got := start(t, s), map[string]string{}
			for action := range want {
				got[action] = c.do(t, action)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("uid %d, without %q: outcomes (-want +got):\n%s", uid, without, diff)
			}
		}
	}
}

// TestNamedDevice checks that a device that the options let a child read can be opened.
func TestNamedDevice(t *testing.T) {
	machineHas(t, AllLayers()...)
	for _, uid := range users() {
		w := newWorkplace(t, uid)
		s := w.spec(uid)
		device := sandboxtest.Terminal(t, uid)
		s.Options.Hidden, s.Options.Read = []string{"/root", "/home"}, []string{w.library, device, "/dev/nothing"}
		if got := start(t, s).do(t, "open "+device); got != "ok" {
			t.Errorf("uid %d: %s", uid, got)
		}
	}
}

// TestVisible checks which entries of a folder hold nothing hidden.
func TestVisible(t *testing.T) {
	root := t.TempDir()
	for _, path := range []string{"usr/lib", "data/users/me/secret", "data/users/you", "data/sets", "homes"} {
		if err := os.MkdirAll(filepath.Join(root, path), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("homes", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	hidden := []string{root + "/homes", root + "/data/users/me", root + "/no"}
	for folder, want := range map[string][]string{
		"":                      {root + "/data/sets", root + "/data/users/you", root + "/usr"},
		"/usr":                  {root + "/usr"},
		"/data/users/me":        nil,
		"/data/users/me/secret": nil,
	} {
		if diff := cmp.Diff(want, visible(root+folder, hidden)); diff != "" {
			t.Errorf("visible %q (-want +got):\n%s", folder, diff)
		}
	}
}

// FuzzLibraryFolders reads a configuration of the loader that may include itself.
func FuzzLibraryFolders(f *testing.F) {
	f.Add("include *.conf\n# text\n/opt/lib # more\n\nhwcap 1 x\nrelative\n/\n")
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "ld.so.conf")
		if strings.Count(text, "include") > 2 { // each level includes so often
			return
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, folder := range libraryFolders(path, 0) {
			if !filepath.IsAbs(folder) || folder == "/" {
				t.Errorf("%q: %q", text, folder)
			}
		}
	})
}

func TestLibraryFolders(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"ld.so.conf": "# system\ninclude more/*.conf\n/opt/a/lib  # the vendor's\n", "more/b.conf": "/opt/b/\nb\n/\n",
		"more/c.conf": "hwcap 0 nosegneg\ninclude ../ld.so.conf\n", "more/d": "/opt/d\n",
	} {
		path := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	got := libraryFolders(filepath.Join(folder, "ld.so.conf"), mostIncludes-1)
	if want := []string{"/opt/b", "/opt/a/lib"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := libraryFolders(filepath.Join(folder, "absent"), 0); got != nil {
		t.Errorf("without the file: %q", got)
	}
}
