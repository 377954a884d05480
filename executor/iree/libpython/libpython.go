// Package libpython runs Python inside this process. It loads a shared libpython, starts the interpreter for a virtual
// environment and calls Python functions, with the stable part of CPython's C API. It knows nothing of IREE.
//
// An interpreter belongs to the thread of the operating system that has started it. The thread holds Python's lock
// until the process ends. Whoever calls Start locks its goroutine to its thread and makes all further calls from there.
// A process has one interpreter, whose state is in the shared library. Start in a process where it runs already returns
// another handle of the same interpreter.
package libpython

import (
	_ "embed"
	"errors"
	"fmt"
	"unsafe"

	"zonemark/executor/dl"
)

// Options say which Python to start.
type Options struct {
	Library    string // shared libpython
	Executable string // interpreter of the environment, by which Python finds its packages; it is not started
}

// Interpreter is the Python of this process.
type Interpreter struct {
	api      *api
	version  Version
	describe uintptr // the Python function that turns an exception into text, 0 until it exists
}

//go:embed exceptions.py
var exceptionsSource string

const exceptionsModule = "zonemark_exceptions"

// Start loads the shared library and starts its interpreter: without signal handlers, without Python's environment
// variables and without the user's own packages, so that only the environment decides what is imported. If the
// interpreter runs already, Start returns its handle, whatever the environment. It is an error if library, environment,
// version or thread do not fit each other. CPython ends the process if it cannot find its own standard library, so
// Start looks for it first.
func Start(o Options) (*Interpreter, error) {
	i, runs, err := load(o.Library)
	if err != nil {
		return nil, fmt.Errorf("start Python: %w", err)
	}
	if !runs {
		if err = checkEnvironment(o.Executable, i.version); err == nil {
			err = i.initialize(o.Executable)
		}
		if err != nil {
			return nil, fmt.Errorf("start Python %v of %s: %w", i.version, o.Library, err)
		}
	}
	if err := i.prepareExceptions(); err != nil {
		return nil, fmt.Errorf("start Python: %w", err)
	}
	return i, nil
}

// Running returns the interpreter of a shared library, or nil if none has been started in this process.
func Running(library string) (*Interpreter, error) {
	i, runs, err := load(library)
	if err == nil && runs {
		err = i.prepareExceptions()
	}
	if err != nil || !runs {
		return nil, err
	}
	return i, nil
}

// load loads the shared library and reports whether its interpreter runs, on this thread.
func load(path string) (i *Interpreter, runs bool, err error) {
	library, err := dl.OpenGlobal(path)
	if err != nil {
		return nil, false, err
	}
	i = &Interpreter{}
	if i.api, err = newAPI(library.Lookup); err != nil {
		return nil, false, fmt.Errorf("%s: %w", path, err)
	}
	if i.version, err = parseVersion(text(dl.Call(i.api.getVersion))); err != nil {
		return nil, false, fmt.Errorf("%s: %w", path, err)
	}
	runs = dl.Call(i.api.isInitialized) != 0
	if runs && int32(dl.Call(i.api.holdsLock)) == 0 {
		return nil, true, errors.New("the interpreter runs already, on another thread")
	}
	return i, runs, nil
}

// prepareExceptions defines the Python function that turns exceptions into text.
func (i *Interpreter) prepareExceptions() error {
	if err := i.Run(exceptionsModule, exceptionsSource); err != nil {
		return err
	}
	describe, err := i.Get(exceptionsModule, "describe")
	if err != nil {
		return err
	}
	i.describe = describe.object
	return nil
}

// initialize starts the interpreter as a program at the path executable would.
func (i *Interpreter) initialize(executable string) error {
	if i.api.setProgramName == 0 {
		return errors.New("this Python has no Py_SetProgramName, by which it is told its environment: use Python " +
			"3.10 to 3.14")
	}
	for _, flag := range []uintptr{i.api.ignoreEnvironment, i.api.noUserSite, i.api.noBytecode} {
		if flag != 0 { // deprecated variables, which a newer Python may lack; they only prevent surprises
			*at[int32](flag) = 1
		}
	}
	path := append([]byte(executable), 0)
	program := dl.Call(i.api.decodeLocale, uintptr(unsafe.Pointer(&path[0])), 0)
	if program == 0 {
		return fmt.Errorf("the path %q cannot be decoded in this locale", executable)
	}
	dl.Call(i.api.setProgramName, program) // keeps the address
	const installSignalHandlers = 0        // Go handles the signals
	dl.Call(i.api.initialize, installSignalHandlers)
	return nil
}

// Version returns the version of the interpreter.
func (i *Interpreter) Version() Version { return i.version }

// Run runs source as the module of that name, unless there is such a module already. Tracebacks show the name as the
// file.
func (i *Interpreter) Run(module, source string) error {
	name := append([]byte(module), 0)
	modules := dl.Call(i.api.getModuleDict) // borrowed
	if dl.Call(i.api.dictGetItem, modules, uintptr(unsafe.Pointer(&name[0]))) != 0 {
		return nil
	}
	file, program := append([]byte(module+".py"), 0), append([]byte(source), 0)
	const fileInput = 257 // Py_file_input of compile.h
	code := dl.Call(i.api.compileString, uintptr(unsafe.Pointer(&program[0])), uintptr(unsafe.Pointer(&file[0])),
		fileInput)
	if code == 0 {
		return i.exception()
	}
	defer i.release(code)
	loaded := dl.Call(i.api.execCodeModule, uintptr(unsafe.Pointer(&name[0])), code)
	if loaded == 0 {
		return i.exception()
	}
	i.release(loaded)
	return nil
}

// Get evaluates an expression in a module that has been run. Its value stays alive until the Callable is closed.
func (i *Interpreter) Get(module, expression string) (*Callable, error) {
	name, source := append([]byte(module), 0), append([]byte(expression), 0)
	m := dl.Call(i.api.addModule, uintptr(unsafe.Pointer(&name[0]))) // borrowed
	if m == 0 {
		return nil, i.exception()
	}
	globals := dl.Call(i.api.moduleGetDict, m) // borrowed
	const evalInput = 258                      // Py_eval_input of compile.h
	file := []byte("<expression>\x00")
	code := dl.Call(i.api.compileString, uintptr(unsafe.Pointer(&source[0])), uintptr(unsafe.Pointer(&file[0])),
		evalInput)
	if code == 0 {
		return nil, i.exception()
	}
	defer i.release(code)
	value := dl.Call(i.api.evalCode, code, globals, globals)
	if value == 0 {
		return nil, i.exception()
	}
	return &Callable{python: i, object: value, arguments: []uintptr{value}}, nil
}

func (i *Interpreter) release(object uintptr) {
	if object != 0 {
		dl.Call(i.api.decRef, object)
	}
}
