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

// functions holds the addresses of the runtime's functions. The fields have their names without the prefix iree_.
type functions struct {
	allocatorLibcCtl, allocatorMalloc, allocatorFree  uintptr
	statusFormat, statusIgnore, timeNow               uintptr
	instanceCreate, instanceRelease                   uintptr
	instanceVM, instanceDevice                        uintptr
	registryAllocate, registryFree, registryEnumerate uintptr
	registerDrivers                                   uintptr
	deviceRelease                                     uintptr
	sessionOptions, sessionCreate, sessionRelease     uintptr
	sessionAllocator, sessionAppend, sessionLoad      uintptr
	sessionContext, contextModules, contextModule     uintptr
	moduleName, moduleRelease                         uintptr
	callByName, callDeinitialize, callInvoke          uintptr
	listSize, listGetVariant                          uintptr
	listPushValue, listPushRef                        uintptr
	listSetVariant, listSetView                       uintptr
	pushView, viewOf                                  uintptr
	viewCopy, viewRelease, viewBuffer                 uintptr
	viewRank, viewDim, viewElement, viewBytes         uintptr
	bufferRead, bufferMap, bufferUnmap                uintptr
	bufferType, bufferOf, bufferBytes                 uintptr // bufferType is a variable
	profilingBegin, profilingFlush, profilingEnd      uintptr
}

// names returns the symbol of each function.
func (f *functions) names() map[string]*uintptr {
	return map[string]*uintptr{
		"iree_allocator_libc_ctl":                               &f.allocatorLibcCtl,
		"iree_allocator_malloc":                                 &f.allocatorMalloc,
		"iree_allocator_free":                                   &f.allocatorFree,
		"iree_status_format":                                    &f.statusFormat,
		"iree_status_ignore":                                    &f.statusIgnore,
		"iree_time_now":                                         &f.timeNow,
		"iree_runtime_instance_create":                          &f.instanceCreate,
		"iree_runtime_instance_release":                         &f.instanceRelease,
		"iree_runtime_instance_vm_instance":                     &f.instanceVM,
		"iree_runtime_instance_try_create_default_device":       &f.instanceDevice,
		"iree_hal_driver_registry_allocate":                     &f.registryAllocate,
		"iree_hal_driver_registry_free":                         &f.registryFree,
		"iree_hal_driver_registry_enumerate":                    &f.registryEnumerate,
		"iree_hal_register_all_available_drivers":               &f.registerDrivers,
		"iree_hal_device_release":                               &f.deviceRelease,
		"iree_runtime_session_options_initialize":               &f.sessionOptions,
		"iree_runtime_session_create_with_device":               &f.sessionCreate,
		"iree_runtime_session_release":                          &f.sessionRelease,
		"iree_runtime_session_device_allocator":                 &f.sessionAllocator,
		"iree_runtime_session_append_module":                    &f.sessionAppend,
		"iree_runtime_session_append_bytecode_module_from_file": &f.sessionLoad,
		"iree_runtime_session_context":                          &f.sessionContext,
		"iree_vm_context_module_count":                          &f.contextModules,
		"iree_vm_context_module_at":                             &f.contextModule,
		"iree_vm_module_name":                                   &f.moduleName,
		"iree_vm_module_release":                                &f.moduleRelease,
		"iree_runtime_call_initialize_by_name":                  &f.callByName,
		"iree_runtime_call_deinitialize":                        &f.callDeinitialize,
		"iree_runtime_call_invoke":                              &f.callInvoke,
		"iree_vm_list_size":                                     &f.listSize,
		"iree_vm_list_get_variant_assign":                       &f.listGetVariant,
		"iree_vm_list_push_value":                               &f.listPushValue,
		"iree_runtime_call_inputs_push_back_buffer_view":        &f.pushView,
		"iree_hal_buffer_view_check_deref":                      &f.viewOf,
		"iree_hal_buffer_view_allocate_buffer_copy":             &f.viewCopy,
		"iree_hal_buffer_view_release":                          &f.viewRelease,
		"iree_hal_buffer_view_buffer":                           &f.viewBuffer,
		"iree_hal_buffer_view_shape_rank":                       &f.viewRank,
		"iree_hal_buffer_view_shape_dim":                        &f.viewDim,
		"iree_hal_buffer_view_element_type":                     &f.viewElement,
		"iree_hal_buffer_view_byte_length":                      &f.viewBytes,
		"iree_vm_list_push_ref_retain":                          &f.listPushRef,
		"iree_vm_list_set_variant_retain":                       &f.listSetVariant,
		"iree_vm_list_set_buffer_view_retain":                   &f.listSetView,
		"iree_hal_buffer_registration":                          &f.bufferType,
		"iree_hal_buffer_check_deref":                           &f.bufferOf,
		"iree_hal_buffer_byte_length":                           &f.bufferBytes,
		"iree_hal_buffer_map_read":                              &f.bufferRead,
		"iree_hal_buffer_map_range":                             &f.bufferMap,
		"iree_hal_buffer_unmap_range":                           &f.bufferUnmap,
		"iree_hal_device_profiling_begin":                       &f.profilingBegin,
		"iree_hal_device_profiling_flush":                       &f.profilingFlush,
		"iree_hal_device_profiling_end":                         &f.profilingEnd,
	}
}

// Open loads the runtime at path. It stays loaded until the process ends, because its threads may still be ending when
// a device is released. Opening it again is cheap.
func Open(path string) (*Library, error) {
	if err := Supported(); err != nil {
		return nil, fmt.Errorf("IREE runtime %s: %w", path, err)
	}
	file, err := dl.Open(path)
	if err != nil {
		return nil, fmt.Errorf("IREE runtime: %w", err)
	}
	l := &Library{path: path, file: file}
	var symbols []dl.Symbol
	for name, address := range l.api.names() {
		symbols = append(symbols, dl.Symbol{Name: name, Address: address})
	}
	var missing *dl.MissingError
	if errors.As(dl.Resolve(file.Lookup, symbols), &missing) {
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
