package sandbox

import "path/filepath"

// home returns the HOME of a child of profile Device.
func (o Options) home() string {
	if o.Home != "" {
		return filepath.Clean(o.Home)
	}
	return filepath.Join(o.Scratch, "home")
}
