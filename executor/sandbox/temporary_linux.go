package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
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
		if err := os.MkdirAll(dir, 0o700); err != nil {
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
