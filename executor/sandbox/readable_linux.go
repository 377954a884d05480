package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// neededElsewhere returns what the C library, loaders, drivers and language runtimes read in folders of the system that
// hold secrets, too.
func neededElsewhere() []string {
	needed := []string{
		"ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ld.so.preload", "localtime", "timezone", "locale.alias",
		"locale.conf", "nsswitch.conf", "passwd", "group", "hosts", "host.conf", "resolv.conf", "gai.conf", "services",
		"protocols", "os-release", "machine-id", "mime.types", "alternatives", "ssl/certs", "ssl/openssl.cnf",
		"ca-certificates", "pki/tls/certs", "fonts", "OpenCL", "vulkan", "glvnd", "nvidia", "tenstorrent", "hwloc",
		"python3", "python3.10", "python3.11", "python3.12", "python3.13", "python3.14",
	}
	for i := range needed {
		needed[i] = "/etc/" + needed[i]
	}
	return append(needed, "/run/opengl-driver", "/run/udev/data", "/var/lib/tenstorrent")
}

// systemFolders returns where systems keep programs and libraries. Other folders hold what people and services have put
// there, devices, or what the kernel tells; see devices and told.
func systemFolders() []string {
	return []string{
		"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store",
	}
}

// devices returns the files of devices that all programs use. Others are terminals, on which passwords are typed, disks,
// and the machine's memory; or they belong to hardware, and the options name them.
func devices() []string {
	return []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}
}

// usable returns paths of devices that can be opened: files of devices that all programs use, and what the options name
// of /dev, files and folders.
func (o Options) usable() []string {
	named := slices.DeleteFunc(slices.Concat(o.Read, o.ReadWrite), func(path string) bool {
		return path != "/dev" && !strings.HasPrefix(path, "/dev/")
	})
	return slices.DeleteFunc(slices.Concat(devices(), named), func(path string) bool {
		return unix.Access(path, unix.F_OK) != nil
	})
}

// toldOfProcesses is where the kernel tells of processes: command lines, among others. A process reads what is told of
// itself, unless it has a namespace in which there are no others.
const toldOfProcesses = "/proc"

// told returns what the kernel tells of the machine, and of this process: not of others, and no log.
func (o Options) told() []string {
	paths := []string{
		"/sys/bus", "/sys/class", "/sys/dev", "/sys/devices", "/sys/module", "/sys/hypervisor", "/sys/firmware/devicetree",
		"/sys/kernel/mm", "/sys/kernel/iommu_groups", "/sys/fs/cgroup",
	}
	if o.processes && !o.exposed {
		return append(paths, toldOfProcesses)
	}
	for _, name := range []string{
		"self", "cpuinfo", "meminfo", "stat", "version", "loadavg", "uptime", "filesystems", "cgroups", "devices", "modules",
		"pressure", "driver", "bus/pci", "sys",
	} {
		paths = append(paths, filepath.Join(toldOfProcesses, name))
	}
	return paths
}

// readable returns the paths below which everything may be read: folders of the system and of libraries, without the
// hidden ones, what lies in these and is needed, what the kernel tells, and what the options name. This program itself
// is, since libraries look into it for symbols.
func (o Options) readable() []string {
	var hidden, paths []string
	for _, path := range o.Hidden {
		if real, err := filepath.EvalSymlinks(path); err == nil && real != "/" {
			hidden = append(hidden, real)
		}
	}
	for _, folder := range append(systemFolders(), libraryFolders("/etc/ld.so.conf", 0)...) {
		paths = append(paths, visible(folder, hidden)...)
	}
	return slices.Concat(paths, devices(), o.told(), neededElsewhere(), o.Read, []string{"/proc/self/exe"})
}

// visible returns a folder if it holds nothing hidden, else its entries for which this is so, and in the same way those
// of folders in it. It returns nothing for a hidden folder, or a folder in one.
func visible(folder string, hidden []string) (paths []string) {
	within := func(h string) bool { return folder == h || strings.HasPrefix(folder, h+"/") }
	inside := func(h string) bool { return strings.HasPrefix(h, folder+"/") }
	switch {
	case slices.ContainsFunc(hidden, within):
		return nil
	case !slices.ContainsFunc(hidden, inside):
		return []string{folder}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink == 0 { // what a link leads to is visible where it lies
			paths = append(paths, visible(filepath.Join(folder, e.Name()), hidden)...)
		}
	}
	return paths
}

// mostIncludes bounds how deep files of the loader's configuration may include others.
const mostIncludes = 4

// libraryFolders returns the folders that a file of the loader's configuration names (ldconfig(8)): a folder, or
// "include PATTERN", in each line. It returns nothing if the file cannot be read.
func libraryFolders(path string, depth int) (folders []string) {
	text, err := os.ReadFile(path)
	if err != nil || depth > mostIncludes {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		switch {
		case len(words) == 2 && words[0] == "include":
			pattern := words[1]
			if !filepath.IsAbs(pattern) {
				pattern = filepath.Join(filepath.Dir(path), pattern)
			}
			included, _ := filepath.Glob(pattern) // a pattern that is not well formed matches nothing
			for _, other := range included {
				folders = append(folders, libraryFolders(other, depth+1)...)
			}
		case len(words) == 1 && filepath.IsAbs(words[0]) && filepath.Clean(words[0]) != "/":
			folders = append(folders, filepath.Clean(words[0]))
		}
	}
	return folders
}

// isAbsent reports that a path leads nowhere, or to something that cannot be looked at from here.
func isAbsent(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOTDIR) ||
		errors.Is(err, unix.ELOOP)
}
