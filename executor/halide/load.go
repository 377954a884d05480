package halide

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"

	"zonemark/executor"
	"zonemark/executor/dl"
	"zonemark/executor/halide/metadata"
	"zonemark/invocations"
	"zonemark/invocations/spelling"
)

// program is a loaded artifact.
type program struct {
	*library
	options options
	profile *library // the profile build; nil if there is none
}

// library is a loaded shared library with pipelines.
type library struct {
	path    string // as errors name it
	file    *metadata.File
	library dl.Library
	errors  *errorTexts
	runtime runtimeFunctions
}

// runtimeFunctions are functions of Halide's runtime in a library. Those that it does not have are 0.
type runtimeFunctions struct {
	setErrorHandler uintptr `c:"halide_set_error_handler,optional"`
	setNumThreads   uintptr `c:"halide_set_num_threads,optional"`
	shutdownThreads uintptr `c:"halide_shutdown_thread_pool,optional"`
	profilerState   uintptr `c:"halide_profiler_get_state,optional"`
	profilerReset   uintptr `c:"halide_profiler_reset,optional"`
	profilerLock    uintptr `c:"halide_profiler_lock,optional"`
	profilerFree    uintptr `c:"halide_profiler_unlock,optional"`
}

// Load opens the shared library that artifact.Path names, or artifact.Built if it had to be linked first, and the
// profile build if there is one.
func (r Runtime) Load(artifact invocations.Artifact) (executor.Program, error) {
	o, err := parseOptions(artifact.Path, artifact.Options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", artifact.Path, err)
	}
	path := artifact.Built
	if path == "" {
		path = artifact.Path
	}
	p := &program{options: o}
	if p.library, err = r.open(path); err != nil {
		return nil, err
	}
	p.library.path = artifact.Path
	if profile := cmp.Or(o.profileBuild, artifact.Profiled); profile != "" {
		if p.profile, err = r.open(profile); err != nil {
			return nil, errors.Join(fmt.Errorf("profile build: %w", err), p.library.close())
		}
	}
	return p, nil
}

// open loads a shared library. From then on, errors of its pipelines are collected: without a handler, Halide's runtime
// ends the process.
func (r Runtime) open(path string) (*library, error) {
	f, err := metadata.Read(path)
	switch {
	case err != nil:
		return nil, err
	case f.Form != metadata.Shared:
		return nil, fmt.Errorf("%s: it must be linked before it is loaded; link it into a shared library "+
			"(cc -shared)", path)
	case len(f.Pipelines) == 0:
		return nil, noPipelines(path)
	}
	if machine := dl.Architecture(f.Machine); machine != runtime.GOARCH {
		return nil, &executor.UnsupportedError{Reason: fmt.Sprintf("%s was made for %s and this is %s; build it with "+
			"target=host", path, machine, runtime.GOARCH)}
	}
	lib, err := dl.OpenOwn(path)
	if err != nil {
		return nil, fmt.Errorf("%w; link it with what it needs, Halide's runtime and -lpthread -ldl -lm", err)
	}
	l := &library{path: path, file: f, library: lib, errors: r.errors}
	if err := dl.Fill(lib.Lookup, &l.runtime); err != nil {
		return nil, err
	}
	if l.runtime.setErrorHandler != 0 {
		dl.Call(l.runtime.setErrorHandler, r.errors.handler())
	}
	return l, nil
}

// Close unloads the libraries.
func (p *program) Close() error { return errors.Join(p.library.close(), p.profile.close()) }

// close ends the threads of the pool and unloads the library. The profiler would report on what it has seen.
func (l *library) close() error {
	if l == nil {
		return nil
	}
	for _, f := range []uintptr{l.runtime.profilerReset, l.runtime.shutdownThreads} {
		if f != 0 {
			dl.Call(f)
		}
	}
	return l.library.Close()
}

// pipeline is a pipeline of a loaded library.
type pipeline struct {
	*library
	metadata *metadata.Pipeline
	entry    uintptr // int NAME_argv(void **)
}

// pipeline finds a pipeline by its name.
func (l *library) pipeline(name string) (*pipeline, error) {
	var names []string
	for i := range l.file.Pipelines {
		if p := &l.file.Pipelines[i]; p.Name == name {
			entry, err := l.library.Lookup(name + "_argv")
			if err != nil {
				return nil, err
			}
			return &pipeline{l, p, entry}, nil
		}
		names = append(names, l.file.Pipelines[i].Name)
	}
	return nil, fmt.Errorf("%s has no pipeline %q%s", l.path, name, spelling.SuggestOrList(name, names))
}

// bind gives the arguments of the pipeline the values of an invocation, and asks the pipeline for the sizes that are
// left open.
func (p *pipeline) bind(inv *invocations.Invocation) (*binding, error) {
	if reason := parseTarget(p.metadata.Target).skip(runtime.GOOS, runtime.GOARCH); reason != "" {
		return nil, &executor.UnsupportedError{Reason: reason}
	}
	b, err := bind(p.metadata, inv)
	if err == nil {
		err = b.sizes(p.query)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: pipeline %s: %w", p.path, p.metadata.Name, err)
	}
	return b, nil
}

// query calls the pipeline with buffers without memory, and takes the dimensions that it asks for.
func (p *pipeline) query(b *binding) error {
	s, err := newQuery(b)
	if err != nil {
		return err
	}
	defer s.Free()
	if err := p.call(s, 0); err != nil {
		return fmt.Errorf("it does not say what sizes it needs: %w", err)
	}
	for i := range b.arguments {
		if b.arguments[i].buffer() {
			copy(b.arguments[i].dims, s.dimensionsOf(0, i))
		}
	}
	return nil
}

// call calls the pipeline once with a set of arguments.
func (p *pipeline) call(s *argumentSets, k int) error {
	return p.failure(int32(dl.Call(p.entry, s.argv(k))))
}

// failure returns the error that a pipeline has returned, with the text that it has given; nil for 0.
func (p *pipeline) failure(code int32) error {
	text := p.errors.take()
	if code == 0 {
		return nil
	}
	err := &CallError{Pipeline: p.metadata.Name, Code: code, Text: text}
	if code == outOfMemory {
		return &executor.MemoryError{Err: err}
	}
	return err
}
