package capi

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unsafe"

	"zonemark/executor/dl"
)

// Session is a module loaded on a device, with the state of its globals. It is not safe for concurrent use.
type Session struct {
	device    *Device
	session   uintptr
	allocator uintptr // allocator of the device's buffers; belongs to the session
	module    string  // name
}

// Load loads the compiled module at path, after the parameter files and the modules that it may need, and runs their
// initializers. The session must be closed before the device. Errors name parameter files and other modules but not
// path.
func (d *Device) Load(path string, parameters []ParameterFile, needed ...string) (*Session, error) {
	if d.device == 0 {
		return nil, fmt.Errorf("load module: IREE device %s: %w", d.name, errClosed)
	}
	for _, one := range needed {
		if err := checkModule(one); err != nil {
			return nil, fmt.Errorf("load module %q: %w", one, err)
		}
	}
	if path == "" || strings.ContainsRune(path, 0) {
		return nil, fmt.Errorf("load module %q: not a file name", path)
	}
	if err := checkModule(path); err != nil {
		return nil, fmt.Errorf("load module: %w", err)
	}
	s := &Session{device: d}
	if err := s.load(path, parameters, needed); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// checkModule returns an error for a file that IREE 3.13 crashes on, since it cannot map it.
func checkModule(path string) error {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !st.Mode().IsRegular():
		return errors.New("not a regular file")
	case st.Size() == 0:
		return errors.New("the file is empty")
	}
	return nil
}

func (s *Session) load(path string, parameters []ParameterFile, before []string) error {
	l := s.device.library
	// iree_runtime_session_options_t {u32 context flags, u64 builtin modules}
	var options [2]uint64
	dl.Call(l.api.sessionOptions, uintptr(unsafe.Pointer(&options)))
	status := dl.Call(l.api.sessionCreate, s.device.instance, uintptr(unsafe.Pointer(&options)), s.device.device, 0,
		l.api.allocatorLibcCtl, uintptr(unsafe.Pointer(&s.session)))
	if err := l.check(status); err != nil {
		return fmt.Errorf("IREE session on %s: %w", s.device.name, err)
	}
	s.allocator = dl.Call(l.api.sessionAllocator, s.session)
	if err := s.appendParameters(parameters); err != nil {
		return err
	}
	for _, one := range before {
		if err := s.append(one); err != nil {
			return fmt.Errorf("load module %s: %w", one, err)
		}
	}
	if err := s.append(path); err != nil {
		return fmt.Errorf("load module: %w", err)
	}
	s.module = s.lastModule()
	return nil
}

// append appends a module to the session.
func (s *Session) append(path string) error {
	l, name := s.device.library, append([]byte(path), 0)
	return l.check(dl.Call(l.api.sessionLoad, s.session, uintptr(unsafe.Pointer(&name[0]))))
}

// lastModule returns the name of the module that was loaded last.
func (s *Session) lastModule() string {
	l := s.device.library
	context := dl.Call(l.api.sessionContext, s.session)
	count := dl.Call(l.api.contextModules, context)
	if count == 0 {
		return ""
	}
	module := dl.Call(l.api.contextModule, context, count-1)
	// The function returns a string view, whose pointer is in the first result register. It points to a string in the
	// module's flatbuffer, which ends with a zero.
	return cString(dl.Call(l.api.moduleName, module))
}

// cString copies the text at an address of the runtime's memory up to its zero byte, or 255 bytes.
func cString(address uintptr) string {
	p := *(**byte)(unsafe.Pointer(&address)) // an address in C's memory, which the Go runtime does not move
	if p == nil {
		return ""
	}
	var b strings.Builder
	for i := 0; i < 255; i++ {
		c := *(*byte)(unsafe.Add(unsafe.Pointer(p), i))
		if c == 0 {
			break
		}
		b.WriteByte(c)
	}
	return b.String()
}

// Module returns the name of the loaded module.
func (s *Session) Module() string { return s.module }

// Close unloads the module. All its calls must be closed.
func (s *Session) Close() {
	if s.session != 0 {
		dl.Call(s.device.library.api.sessionRelease, s.session)
		s.session = 0
	}
}
