// Package cachedir makes folders in zonemark's cache, which is $ZONEMARK_HOME or zonemark's part of the user's cache
// folder. It does not know what the folders hold.
package cachedir

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"zonemark/driver/setup"
	"zonemark/invocations/environ"
)

// Cache is a user's cache of zonemark.
type Cache struct{ variables environ.Variables }

// Of returns the cache that the variables of an environment name.
func Of(v environ.Variables) Cache { return Cache{v} }

// Folder returns the path of a folder below the cache. It makes the folder if it is missing.
func (c Cache) Folder(name string) (string, error) {
	root, err := setup.CacheRoot(c.variables.Lookup)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make the cache: %w; set ZONEMARK_HOME to a folder that can be written", err)
	}
	return dir, nil
}

// Scratch makes the only folder that the executors of this process may write to, as Temporary does.
func (c Cache) Scratch() (string, error) { return c.Temporary("scratch") }

// keepForeign is how long a folder of another machine is kept after it was changed for the last time.
const keepForeign = 30 * 24 * time.Hour

// Temporary makes a folder of this process below the folder name of the cache. It also removes folders there of
// processes of this machine that were killed, and old ones of other machines, which may share the cache. The name of
// such a folder is its process, its machine, and random digits, with "-" between them.
func (c Cache) Temporary(name string) (string, error) {
	dir, err := c.Folder(name)
	if err != nil {
		return "", err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("read the cache: %w", err)
	}
	here := machine()
	for _, e := range entries {
		if abandoned(e, here) {
			if err := Remove(filepath.Join(dir, e.Name())); err != nil {
				return "", fmt.Errorf("clean the cache: %w", err)
			}
		}
	}
	folder, err := os.MkdirTemp(dir, fmt.Sprintf("%s-%s-", process(os.Getpid()), here))
	if err != nil {
		return "", fmt.Errorf("make a folder in the cache: %w", err)
	}
	return folder, nil
}

// Remove removes a folder of Temporary with all that is in it. Native code may have closed folders there, by their modes.
func Remove(folder string) error {
	if os.RemoveAll(folder) == nil {
		return nil
	}
	_ = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			_ = os.Chmod(path, 0o700) // what stays closed is told below
		}
		return nil
	})
	return os.RemoveAll(folder)
}

// abandoned reports whether nobody uses a temporary folder any more.
func abandoned(e os.DirEntry, here string) bool {
	of, rest, _ := strings.Cut(e.Name(), "-")
	number, _, _ := strings.Cut(of, ".")
	pid, err := strconv.Atoi(number)
	if err != nil {
		return false
	}
	if machine, _, _ := strings.Cut(rest, "-"); machine == here {
		is := process(pid)
		return is == "" || strings.Contains(of, ".") && strings.Contains(is, ".") && is != of
	}
	info, err := e.Info() // the number is of a process elsewhere, of which nothing is known
	return err == nil && time.Since(info.ModTime()) > keepForeign
}

// machine returns a word that is different where a process has another number: on other machines, and in containers.
func machine() string {
	name, _ := os.Hostname()                         // without a name, all such machines are one
	namespace, _ := os.Readlink("/proc/self/ns/pid") // other systems have none
	sum := sha256.Sum256([]byte(name + " " + namespace))
	return hex.EncodeToString(sum[:4])
}

// process returns a word for the process, or the thread, with a number: the number and when it began, since numbers
// return. It is the number alone if the system does not tell, and empty if there is no such process, or if it has ended
// and only waits to be reaped, which some containers never do.
func process(pid int) string {
	number := strconv.Itoa(pid)
	if _, err := os.Stat("/proc/self"); err != nil {
		return number
	}
	text, err := os.ReadFile(filepath.Join("/proc", number, "stat"))
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	const began = 22 - 3 // proc_pid_stat(5), of the fields behind the name
	name := strings.LastIndexByte(string(text), ')')
	fields := strings.Fields(string(text[name+1:]))
	switch {
	case err != nil || len(fields) <= began:
		return number
	case fields[0] == "Z" || fields[0] == "X":
		return ""
	}
	return number + "." + fields[began]
}
