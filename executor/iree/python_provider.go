package iree

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"zonemark/executor/dl"
	"zonemark/executor/iree/bindings"
	"zonemark/executor/iree/libpython"
	"zonemark/executor/tracy"
	"zonemark/invocations/remedy"
)

// The module that runs inside the interpreter. It documents what its functions take and return.
//
//go:embed iree_session.py
var sessionSource string

const sessionModule = "iree_session"

// pythonProvider runs modules through the Python bindings of the wheel iree-base-runtime, in an interpreter inside this
// process. All its calls come from the thread that made the first one.
type pythonProvider struct{ installation Installation }

func (p pythonProvider) name() string { return ProviderPython }

// unusable checks only the files. Whether they fit each other is found when a module is opened, as is whether the wheel
// has a driver: the session module names those that it has.
func (p pythonProvider) unusable(string) error {
	install := remedy.Remedy{Kind: remedy.Install, Name: component}
	for _, part := range []struct{ what, path string }{
		{"the Python interpreter of IREE's environment", p.installation.Python},
		{"the shared library of its Python", p.installation.LibPython},
		{"its site-packages folder", p.installation.Site},
	} {
		if part.path == "" {
			return remedy.With(fmt.Errorf("%s is not installed", part.what), install)
		}
		if _, err := os.Stat(part.path); err != nil {
			return remedy.With(fmt.Errorf("%s is gone: %w", part.what, err), install)
		}
	}
	_, err := bindings.Find(p.installation.Site, p.installation.Tracy)
	return err
}

// open starts the interpreter, unless it runs already, which knows the devices of its sessions.
func (p pythonProvider) open(file string, options map[string]string, _ ...session) (session, error) {
	request := openRequest{Path: file, Device: device(options), Modules: moduleFiles(options)}
	var err error
	if request.Threads, err = taskThreads(options); err != nil {
		return nil, err
	}
	if request.Parameters, err = parameterFiles(options); err != nil {
		return nil, err
	}
	python, client, err := p.start()
	if err != nil {
		return nil, err
	}
	s := &pythonSession{python: python, client: client}
	var reply struct{ Session int }
	if err := s.exchange("open_session", request, nil, &reply, nil); err != nil {
		return nil, explained(err, p.installation, request.Device)
	}
	s.number = reply.Session
	return s, nil
}

// openRequest is the argument of open_session.
type openRequest struct {
	Path       string              `json:"path"`
	Device     string              `json:"device"`
	Threads    int                 `json:"threads"`    // workers of local-task; 0 lets the runtime choose
	Parameters map[string][]string `json:"parameters"` // files by scope
	Modules    []string            `json:"modules"`    // that the module calls; nil: none
}

// start makes the interpreter ready. It and the bindings stay until the process ends. The client is nil if the bindings
// have no Tracy.
func (p pythonProvider) start() (*libpython.Interpreter, *tracy.Client, error) {
	in := p.installation
	found, err := bindings.Find(in.Site, in.Tracy)
	if err != nil {
		return nil, nil, err
	}
	python, err := libpython.Start(libpython.Options{Library: in.LibPython, Executable: in.Python})
	if err != nil {
		return nil, nil, err
	}
	if err := found.Fit(python.Version()); err != nil {
		return nil, nil, err
	}
	if err := python.Run(sessionModule, sessionSource); err != nil {
		return nil, nil, fmt.Errorf("IREE's Python bindings: %w", err)
	}
	s := &pythonSession{python: python}
	var reply struct{ File string }
	if err := s.exchange("load", map[string]any{"site": in.Site, "tracy": in.Tracy}, nil, &reply, nil); err != nil {
		return nil, nil, remedy.With(fmt.Errorf("load IREE's Python bindings of %s: %w", in.Site, words(err)),
			remedy.Remedy{Kind: remedy.Reinstall, Name: component, Value: "them"})
	}
	library, err := dl.OpenOwn(reply.File) // the library that Python has loaded
	if err != nil || !in.Tracy {
		return python, nil, err
	}
	client, err := tracy.New(library.Lookup)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", reply.File, err)
	}
	return python, client, nil
}

// exchange calls a function of the session module.
func (s *pythonSession) exchange(function string, request any, data [][]byte, reply any, out *[][]byte) error {
	message, err := json.Marshal(request)
	if err != nil {
		return err
	}
	f, err := s.python.Get(sessionModule, function)
	if err != nil {
		return err
	}
	answer, returned, err := f.Exchange(string(message), data...)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if out != nil {
		*out = returned
	}
	return json.Unmarshal([]byte(answer), reply)
}
