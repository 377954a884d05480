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

// privateTemporary puts a private writable layer over /tmp. The files there stay readable, since artifacts are often
// there, and the wire names them only later. What is written there goes to the scratch folder, and no other process
// sees it. It returns /tmp, or nothing if /tmp stays as it is, read-only: if a writable path lies below it and would be
// hidden, or if the kernel cannot stack file systems. The caller must already be in a mount namespace of its own.
func privateTemporary(scratch string, writable []string) ([]string, error) {
	for _, path := range writable {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			return nil, err
		}
		if real == systemTemporary || strings.HasPrefix(real, systemTemporary+"/") {
			return nil, nil
		}
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

// emptyTemporary mounts an empty folder of the scratch folder over /tmp, and returns /tmp. Paths below it that the options
// name are mounted there again. The caller must already be in a mount namespace of its own.
func emptyTemporary(o Options) (private []string, err error) {
	empty := filepath.Join(o.Scratch, "private-tmp")
	if err := ownFolder(empty); err != nil {
		return nil, fmt.Errorf("private %s: %w", systemTemporary, err)
	}
	kept, err := keepBelow(systemTemporary, append(o.writable(), o.Read...))
	defer func() {
		for _, k := range kept {
			unix.Close(k.mount)
		}
	}()
	if err != nil {
		return nil, err
	}
	if err := unix.Mount(empty, systemTemporary, "", unix.MS_BIND, ""); err != nil {
		return nil, fmt.Errorf("private %s: %w", systemTemporary, err)
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
