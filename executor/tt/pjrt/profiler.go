package pjrt

import (
	"bytes"
	"errors"
	"fmt"
	"unsafe"

	"zonemark/executor/dl"
)

// The profiler is an extension of the plugin: PJRT_Profiler_Extension (pjrt_c_api_profiler_extension.h) leads to a
// table of its own, PLUGIN_Profiler_Api (profiler_c_api.h, version 1, OpenXLA).
type (
	extensionBase struct {
		size uintptr
		kind int32
		next uintptr
	}
	profilerExtension struct {
		extensionBase
		table uintptr
	}
	profilerTable struct {
		size, private                         uintptr
		errorDestroy, errorMessage, errorCode uintptr
		create, destroy, start, stop, collect uintptr
	}
	profilerErrorArgs struct { // of the destroyer
		size, private, failed uintptr
	}
	profilerMessageArgs struct {
		size, private, failed uintptr
		text, textSize        uintptr // out
	}
	profilerCreateArgs struct {
		size        uintptr
		options     unsafe.Pointer
		optionsSize uintptr
		profiler    uintptr // out
	}
	profilerArgs struct { // of destroy, start and stop
		size, profiler uintptr
	}
	profilerCollectArgs struct {
		size, profiler uintptr
		buffer         unsafe.Pointer // nil asks for the size, or for memory of the profiler's own
		bufferSize     uintptr        // in and out
	}
)

const (
	profilerExtensionType = 1    // PJRT_Extension_Type_Profiler
	maxExtensions         = 1000 // maximum length of a chain, as a check of plausibility
	maxProfile            = 1 << 30
)

// These are field numbers of tsl/profiler/protobuf/profiler_options.proto.
const optionHostLevel, optionDeviceLevel, optionVersion = 2, 3, 5

// profileOptions returns a serialized ProfileOptions: operations of the host and of the device. Without it, XLA's GPU
// plugin records nothing of the device.
func profileOptions() (options []byte) {
	options = appendVarintField(options, optionVersion, 1)
	options = appendVarintField(options, optionHostLevel, 2)
	return appendVarintField(options, optionDeviceLevel, 1)
}

// ErrNoProfiler reports a plugin without a profiler.
var ErrNoProfiler = errors.New("the plugin offers no profiler")

// findProfiler searches a plugin's extensions for the profiler. Returns 0 if there is no complete one.
func findProfiler(extension uintptr) uintptr {
	for n := 0; extension != 0 && n < maxExtensions; n++ {
		e := (*extensionBase)(at(extension))
		if e.kind == profilerExtensionType && e.size >= unsafe.Sizeof(profilerExtension{}) {
			table := (*profilerExtension)(at(extension)).table
			if table != 0 && (*profilerTable)(at(table)).size >= unsafe.Sizeof(profilerTable{}) {
				return table
			}
		}
		extension = e.next
	}
	return 0
}

// HasProfiler reports whether the plugin offers a profiler.
func (p *Plugin) HasProfiler() bool { return p.profiler != 0 }

// Profile runs work under the plugin's profiler and returns the collected data: a serialized XSpace, see ParseXSpace.
// The error is ErrNoProfiler if the plugin has no profiler, or else that of work or of the profiler.
func (p *Plugin) Profile(work func() error) (xspace []byte, err error) {
	if !p.HasProfiler() {
		return nil, ErrNoProfiler
	}
	table := (*profilerTable)(at(p.profiler))
	options := profileOptions()
	create := profilerCreateArgs{
		size: unsafe.Sizeof(profilerCreateArgs{}), options: unsafe.Pointer(&options[0]), optionsSize: uintptr(len(options)),
	}
	if err := p.profilerCall("create", table.create, unsafe.Pointer(&create)); err != nil {
		return nil, err
	}
	args := profilerArgs{size: unsafe.Sizeof(profilerArgs{}), profiler: create.profiler}
	defer func() {
		err = errors.Join(err, p.profilerCall("destroy", table.destroy, unsafe.Pointer(&args)))
	}()
	if err := p.profilerCall("start", table.start, unsafe.Pointer(&args)); err != nil {
		return nil, err
	}
	err = work()
	if err = errors.Join(err, p.profilerCall("stop", table.stop, unsafe.Pointer(&args))); err != nil {
		return nil, err
	}
	return p.collect(table, create.profiler)
}

// collect asks for the data. Some profilers hand over memory of their own, such as XLA's; others tell how much there is
// and fill memory of the caller at a second call, as the header describes it.
func (p *Plugin) collect(table *profilerTable, profiler uintptr) ([]byte, error) {
	args := profilerCollectArgs{size: unsafe.Sizeof(profilerCollectArgs{}), profiler: profiler}
	if err := p.profilerCall("collect_data", table.collect, unsafe.Pointer(&args)); err != nil {
		return nil, err
	}
	switch {
	case args.bufferSize > maxProfile:
		return nil, fmt.Errorf("the plugin's profiler says that it has %d bytes of data", args.bufferSize)
	case args.bufferSize == 0:
		return nil, nil
	case args.buffer != nil: // it lives as long as the profiler
		return bytes.Clone(unsafe.Slice((*byte)(args.buffer), args.bufferSize)), nil
	}
	data := make([]byte, args.bufferSize)
	args.buffer = unsafe.Pointer(&data[0])
	if err := p.profilerCall("collect_data", table.collect, unsafe.Pointer(&args)); err != nil {
		return nil, err
	}
	return data[:min(uintptr(len(data)), args.bufferSize)], nil
}

// profilerCall calls a function of the profiler's table.
func (p *Plugin) profilerCall(name string, function uintptr, args unsafe.Pointer) error {
	if function == 0 {
		return fmt.Errorf("the plugin's profiler has no function %s; take a newer plugin", name)
	}
	failed := dl.Call(function, uintptr(args))
	if failed == 0 {
		return nil
	}
	table := (*profilerTable)(at(p.profiler))
	message := profilerMessageArgs{size: unsafe.Sizeof(profilerMessageArgs{}), failed: failed}
	if table.errorMessage != 0 {
		dl.Call(table.errorMessage, uintptr(unsafe.Pointer(&message)))
	}
	err := fmt.Errorf("the plugin's profiler, %s: %s", name, text(message.text, min(message.textSize, maxMessage)))
	if table.errorDestroy != 0 {
		destroy := profilerErrorArgs{size: unsafe.Sizeof(profilerErrorArgs{}), failed: failed}
		dl.Call(table.errorDestroy, uintptr(unsafe.Pointer(&destroy)))
	}
	return err
}
