package sandbox

import "fmt"

// Profile is what native code is expected to do, and thus what the layers leave to it.
type Profile string

const (
	// Plain is for kernels: they compute, start threads, and write temporary files. The empty profile is this one.
	Plain Profile = "plain"
	// Device is for drivers and plugins. They may also start processes, which are confined as they are and end with
	// them, use stream sockets of the unix family among themselves, and have a /dev/shm and a home of their own.
	// Processes and sockets need LayerPID.
	Device Profile = "device"
	// Build is for programs that make something and end: compilers, linkers, generators. They may start processes, which
	// end with them, and have a home of their own, as in Device; they have no sockets but pairs. Where there is no
	// LayerPID they may signal nobody, themselves included. It is not for users to choose.
	Build Profile = "build"
)

// Profiles returns the profiles that users may choose.
func Profiles() []Profile { return []Profile{Plain, Device} }

// ParseProfile reads what a user wrote after --sandbox-profile.
func ParseProfile(s string) (Profile, error) {
	switch p := Profile(s); p {
	case "":
		return Plain, nil
	case Plain, Device:
		return p, nil
	}
	return "", fmt.Errorf("sandbox profile %q: write plain or device", s)
}

// check returns an error for a profile that there is not.
func (p Profile) check() error {
	if p == Build {
		return nil
	}
	_, err := ParseProfile(string(p))
	return err
}

// hasHome reports whether the profile has a home and a /dev/shm of its own.
func (p Profile) hasHome() bool { return p == Device || p == Build }

// Layers returns the layers of the profile in the order in which results name them.
func (p Profile) Layers() []Layer {
	if p == Device || p == Build {
		return append(AllLayers(), LayerPID)
	}
	return AllLayers()
}
