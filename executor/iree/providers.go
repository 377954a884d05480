package iree

// providers returns the ways of running a module, the preferred one first.
func (in Installation) providers() []provider {
	return []provider{newCAPIProvider(in), newPythonProvider(in), newDispatchProvider(in)}
}
