package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// systemTemporary is where programs write that do not look at TMPDIR.
const systemTemporary = "/tmp"

// privateTemporary lays a private writable layer over /tmp: what is there stays readable, since artifacts often lie there and which ones comes
// over the wire only later, and what is written there goes to the scratch folder and is seen by nobody else. It returns /tmp, or nothing
// when /tmp stays as it is, read-only: when a writable path lies below it and would be hidden, or when the kernel cannot stack file systems.
// The caller must already be in a mount namespace of its own.
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
	if err := os.Chmod(upper, 0o1777); err != nil { // as /tmp itself
		return nil, fmt.Errorf("private %s: %w", systemTemporary, err)
	}
	options := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s,userxattr", systemTemporary, upper, work)
	if err := unix.Mount("overlay", systemTemporary, "overlay", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return nil, nil
	}
	return []string{systemTemporary}, nil
}
