package hosting

// KeepInherited does nothing: on Windows, a process gets only the handles that are named to it.
func KeepInherited() {}
