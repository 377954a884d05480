package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// systemTemporary is where programs write that ignore TMPDIR.
const systemTemporary = "/tmp"

// privateTemporary gives this process a writable /tmp that no other process sees: what is written there goes to the
// scratch folder. The machine's /tmp can be read there only if something in it may be read, or is the working folder:
// secrets are often there, but artifacts, too. privateTemporary returns /tmp, or nothing if /tmp stays as it is,
// read-only: if a writable path lies below it and would be hidden, or if the kernel cannot stack file systems. The caller
// must already be in a mount namespace of its own.
func privateTemporary(o Options) ([]string, error) {
	for _, path := range o.writable() {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			return nil, err
		}
		if inTemporary(real) {
			return nil, nil
		}
	}
	scratch := o.Scratch
	if !o.readsTemporary() {
		empty := filepath.Join(scratch, "private-tmp")
		if err := coverTemporary(empty); err != nil {
			return nil, err
		}
		return []string{systemTemporary}, nil
	}
	if strings.ContainsAny(scratch, `,:\`) { // the separators of the mount's options
		return nil, nil
	}
	upper, work := filepath.Join(scratch, "private-tmp"), filepath.Join(scratch, "private-tmp-work")
	for _, dir := range []string{upper, work} {
		if err := ownFolder(dir); err != nil {
			return nil, fmt.Errorf("private %s: %w", systemTemporary, err)
		}
	}
	if err := os.Chmod(upper, 0o1777); err != nil { // the mode of /tmp itself
		return nil, fmt.Errorf("private %s: %w", systemTemporary, err)
	}
	options := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s,userxattr", systemTemporary, upper, work)
	if err := unix.Mount("overlay", systemTemporary, "overlay", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return nil, nil
	}
	return []string{systemTemporary}, nil
}

// inTemporary reports whether a path is /tmp, or below it.
func inTemporary(path string) bool {
	return path == systemTemporary || strings.HasPrefix(path, systemTemporary+"/")
}

// readsTemporary reports whether something in /tmp may be read, or is the working folder.
func (o Options) readsTemporary() bool {
	if len(o.Hidden) == 0 { // everything may be read
		return true
	}
	working, err := unix.Getwd()
	return err != nil || inTemporary(working) || slices.ContainsFunc(o.Read, func(path string) bool {
		return inTemporary(filepath.Clean(path))
	})
}

// coverTemporary mounts a folder over /tmp, which it makes if it is missing.
func coverTemporary(folder string) error {
	err := ownFolder(folder)
	if err == nil {
		err = os.Chmod(folder, 0o1777) // the mode of /tmp itself
	}
	if err == nil {
		err = unix.Mount(folder, systemTemporary, "", unix.MS_BIND, "")
	}
	if err != nil {
		return fmt.Errorf("private %s: %w", systemTemporary, err)
	}
	return nil
}

// emptyTemporary mounts an empty folder of the scratch folder over /tmp, and returns /tmp. Paths below it that the options
// name are mounted there again. The caller must already be in a mount namespace of its own.
func emptyTemporary(o Options) (private []string, err error) {
	empty := filepath.Join(o.Scratch, "private-tmp")
	kept, err := keepBelow(systemTemporary, append(o.writable(), o.Read...))
	defer func() {
		for _, k := range kept {
			unix.Close(k.mount)
		}
	}()
	if err != nil {
		return nil, err
	}
	if err := coverTemporary(empty); err != nil {
		return nil, err
	}
	for _, k := range kept {
		if err := k.restore(); err != nil {
			return nil, fmt.Errorf("private %s: %s: %w", systemTemporary, k.path, err)
		}
	}
	return []string{systemTemporary}, nil
}

// keptPath is a path that is about to be covered.
type keptPath struct {
	path   string
	mount  int // descriptor of a mount that is nowhere yet
	folder bool
}

// keepBelow keeps those of the paths that lie below a folder, a folder with the paths in it. Paths that lead nowhere are
// left out.
func keepBelow(folder string, paths []string) (kept []keptPath, err error) {
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		path = filepath.Clean(path)
		inside := slices.ContainsFunc(kept, func(k keptPath) bool { return strings.HasPrefix(path, k.path+"/") })
		info, missing := os.Stat(path)
		if !strings.HasPrefix(path, folder+"/") || inside || missing != nil {
			continue
		}
		fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
		if err != nil {
			return kept, fmt.Errorf("keeping %s: %w", path, err)
		}
		kept = append(kept, keptPath{path, fd, info.IsDir()})
	}
	return kept, nil
}

// restore mounts what was kept at its path again.
func (k keptPath) restore() error {
	err := os.MkdirAll(filepath.Dir(k.path), 0o700)
	switch {
	case err != nil:
		return err
	case k.folder:
		err = os.MkdirAll(k.path, 0o700)
	default:
		err = os.WriteFile(k.path, nil, 0o600)
	}
	if err != nil {
		return err
	}
	return unix.MoveMount(k.mount, "", unix.AT_FDCWD, k.path, unix.MOVE_MOUNT_F_EMPTY_PATH)
}

// systemSharedMemory is where the C library keeps shared memory that has a name (shm_overview(7)).
const systemSharedMemory = "/dev/shm"

// privateSharedMemory mounts an empty folder in memory over /dev/shm and returns its path, or nothing if that stays as
// it is: it does not exist, the options name it, or the kernel refuses. The memory limit is its size, so that a single
// file cannot exceed it between two looks of whoever watches. The caller must already be in a mount namespace of its
// own.
func privateSharedMemory(o Options) []string {
	if slices.Contains(o.writable(), systemSharedMemory) {
		return nil
	}
	options := "mode=1777"
	if o.MemoryBytes > 0 {
		options += fmt.Sprintf(",size=%d", o.MemoryBytes)
	}
	if err := unix.Mount("tmpfs", systemSharedMemory, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return nil
	}
	return []string{systemSharedMemory}
}
