package capi

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"zonemark/executor/dl"
	"zonemark/invocations/remedy"
)

// Library is a loaded IREE runtime. Its methods may be called from any goroutine.
type Library struct {
	path string
	file dl.Library
	api  functions
}

// functions holds the addresses of the runtime's functions, by what they are about.
type functions struct {
	hostFunctions
	deviceFunctions
	sessionFunctions
	callFunctions
	bufferFunctions
}

// hostFunctions are about memory, errors and time.
type hostFunctions struct {
	allocatorLibcCtl uintptr `c:"iree_allocator_libc_ctl"`
	allocatorMalloc  uintptr `c:"iree_allocator_malloc"`
	allocatorFree    uintptr `c:"iree_allocator_free"`
	statusFormat     uintptr `c:"iree_status_format"`
	statusIgnore     uintptr `c:"iree_status_ignore"`
	timeNow          uintptr `c:"iree_time_now"`
}

// deviceFunctions are about drivers, and devices and their profiles.
type deviceFunctions struct {
	instanceCreate    uintptr `c:"iree_runtime_instance_create"`
	instanceRelease   uintptr `c:"iree_runtime_instance_release"`
	instanceVM        uintptr `c:"iree_runtime_instance_vm_instance"`
	instanceDevice    uintptr `c:"iree_runtime_instance_try_create_default_device"`
	registryAllocate  uintptr `c:"iree_hal_driver_registry_allocate"`
	registryFree      uintptr `c:"iree_hal_driver_registry_free"`
	registryEnumerate uintptr `c:"iree_hal_driver_registry_enumerate"`
	registerDrivers   uintptr `c:"iree_hal_register_all_available_drivers"`
	deviceRelease     uintptr `c:"iree_hal_device_release"`
	profilingBegin    uintptr `c:"iree_hal_device_profiling_begin"`
	profilingFlush    uintptr `c:"iree_hal_device_profiling_flush"`
	profilingEnd      uintptr `c:"iree_hal_device_profiling_end"`
}

// sessionFunctions are about sessions and their modules.
type sessionFunctions struct {
	sessionOptions   uintptr `c:"iree_runtime_session_options_initialize"`
	sessionCreate    uintptr `c:"iree_runtime_session_create_with_device"`
	sessionRelease   uintptr `c:"iree_runtime_session_release"`
	sessionAllocator uintptr `c:"iree_runtime_session_device_allocator"`
	sessionAppend    uintptr `c:"iree_runtime_session_append_module"`
	sessionLoad      uintptr `c:"iree_runtime_session_append_bytecode_module_from_file"`
	sessionContext   uintptr `c:"iree_runtime_session_context"`
	contextModules   uintptr `c:"iree_vm_context_module_count"`
	contextModule    uintptr `c:"iree_vm_context_module_at"`
	moduleName       uintptr `c:"iree_vm_module_name"`
	moduleRelease    uintptr `c:"iree_vm_module_release"`
}

// callFunctions are about calls, and lists of arguments and results.
type callFunctions struct {
	callByName       uintptr `c:"iree_runtime_call_initialize_by_name"`
	callDeinitialize uintptr `c:"iree_runtime_call_deinitialize"`
	callInvoke       uintptr `c:"iree_runtime_call_invoke"`
	listSize         uintptr `c:"iree_vm_list_size"`
	listGetVariant   uintptr `c:"iree_vm_list_get_variant_assign"`
	listPushValue    uintptr `c:"iree_vm_list_push_value"`
	listPushRef      uintptr `c:"iree_vm_list_push_ref_retain"`
	listSetVariant   uintptr `c:"iree_vm_list_set_variant_retain"`
	listSetView      uintptr `c:"iree_vm_list_set_buffer_view_retain"`
	pushView         uintptr `c:"iree_runtime_call_inputs_push_back_buffer_view"`
}

// bufferFunctions are about buffers and views of them.
type bufferFunctions struct {
	viewOf      uintptr `c:"iree_hal_buffer_view_check_deref"`
	viewCopy    uintptr `c:"iree_hal_buffer_view_allocate_buffer_copy"`
	viewRelease uintptr `c:"iree_hal_buffer_view_release"`
	viewBuffer  uintptr `c:"iree_hal_buffer_view_buffer"`
	viewRank    uintptr `c:"iree_hal_buffer_view_shape_rank"`
	viewDim     uintptr `c:"iree_hal_buffer_view_shape_dim"`
	viewElement uintptr `c:"iree_hal_buffer_view_element_type"`
	viewBytes   uintptr `c:"iree_hal_buffer_view_byte_length"`
	bufferType  uintptr `c:"iree_hal_buffer_registration"` // a variable
	bufferOf    uintptr `c:"iree_hal_buffer_check_deref"`
	bufferBytes uintptr `c:"iree_hal_buffer_byte_length"`
	bufferRead  uintptr `c:"iree_hal_buffer_map_read"`
	bufferMap   uintptr `c:"iree_hal_buffer_map_range"`
	bufferUnmap uintptr `c:"iree_hal_buffer_unmap_range"`
}

// Open loads the runtime at path. It stays loaded until the process ends, because its threads may still be ending when
// a device is released. Opening it again is cheap.
func Open(path string) (*Library, error) {
	if err := Supported(); err != nil {
		return nil, fmt.Errorf("IREE runtime %s: %w", path, err)
	}
	file, err := dl.OpenOwn(path)
	if err != nil {
		return nil, fmt.Errorf("IREE runtime: %w", err)
	}
	l := &Library{path: path, file: file}
	var missing *dl.MissingError
	if errors.As(dl.Fill(file.Lookup, &l.api), &missing) {
		_ = file.Close()
		return nil, remedy.With(
			fmt.Errorf("%s: not an IREE runtime that zonemark knows: it lacks %s", path, abbreviated(missing.Names)),
			remedy.Remedy{Kind: remedy.Install, Name: component})
	}
	return l, nil
}

// component is the name of the runtime among what zonemark installs.
const component = "iree-capi"

// Path returns the file that the runtime was loaded from.
func (l *Library) Path() string { return l.path }

// NowNS returns the time in nanoseconds of the clock that the runtime's profile uses.
func (l *Library) NowNS() int64 { return int64(dl.Call(l.api.timeNow)) }

// optional returns the address of a function that not every build of the runtime exports.
func (l *Library) optional(name, purpose string) (uintptr, error) {
	p, err := l.file.Lookup(name)
	if err != nil {
		return 0, remedy.With(fmt.Errorf("%s: this build of the runtime cannot %s (it lacks %s)", l.path, purpose, name),
			remedy.Remedy{Kind: remedy.Install, Name: component})
	}
	return p, nil
}

// stringView is iree_string_view_t, which has the layout of iree_const_byte_span_t. It has no zero at its end.
type stringView struct {
	data *byte
	size uintptr
}

// text returns a copy of the string.
func (v stringView) text() string { return strings.Clone(unsafe.String(v.data, int(v.size))) }

func abbreviated(names []string) string {
	const shown = 3
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}
