package capi

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"zonemark/executor/dl"
)

// Device is one of the runtime's devices, with everything that it needs. It is not safe for concurrent use.
type Device struct {
	library                    *Library
	name                       string
	registry, instance, device uintptr
	profiling                  bool
}

// DeviceOptions say how a device is made.
type DeviceOptions struct {
	Driver      string // name of the driver: "local-sync", "local-task" or another one that the runtime was built with
	TaskThreads int    // workers of local-task; 0 lets the runtime choose: one for each physical core
}

// maxTaskThreads is IREE_TASK_TOPOLOGY_MAX_GROUP_COUNT of the runtime's public configuration.
const maxTaskThreads = 64

// OpenDevice makes the default device of a driver. The device must be closed.
func (l *Library) OpenDevice(o DeviceOptions) (*Device, error) {
	d := &Device{library: l, name: o.Driver}
	if err := d.open(o); err != nil {
		d.Close()
		return nil, fmt.Errorf("IREE device %q: %w", o.Driver, err)
	}
	return d, nil
}

func (d *Device) open(o DeviceOptions) error {
	l := d.library
	if err := l.setTaskThreads(o); err != nil {
		return err
	}
	if err := d.register(); err != nil {
		return err
	}
	names, err := d.drivers()
	if err != nil {
		return err
	}
	known := false
	for _, name := range names {
		known = known || name == o.Driver
	}
	if !known {
		return fmt.Errorf("%s has no such driver, it has %s", l.path, strings.Join(names, ", "))
	}
	options := struct{ registry uintptr }{d.registry} // iree_runtime_instance_options_t
	if err := l.check(dl.Call(l.api.instanceCreate, uintptr(unsafe.Pointer(&options)), 0, l.api.allocatorLibcCtl,
		uintptr(unsafe.Pointer(&d.instance)))); err != nil {
		return err
	}
	name := []byte(o.Driver)
	return l.check(dl.Call(l.api.instanceDevice, d.instance, uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)),
		uintptr(unsafe.Pointer(&d.device))))
}

// register gives the device its own registry of drivers: the default one is never freed and accepts each driver once.
func (d *Device) register() error {
	l := d.library
	if err := l.check(dl.Call(l.api.registryAllocate, 0, l.api.allocatorLibcCtl,
		uintptr(unsafe.Pointer(&d.registry)))); err != nil {
		return err
	}
	return l.check(dl.Call(l.api.registerDrivers, d.registry))
}

// Drivers returns the names of the drivers that the runtime was built with: "local-sync", "vulkan" and others.
func (l *Library) Drivers() ([]string, error) {
	d := &Device{library: l}
	defer d.Close()
	err := d.register()
	if err == nil {
		var names []string
		if names, err = d.drivers(); err == nil {
			return names, nil
		}
	}
	return nil, fmt.Errorf("drivers of %s: %w", l.path, err)
}

// drivers returns the names of the drivers of the registry.
func (d *Device) drivers() ([]string, error) {
	l := d.library
	var count uintptr
	var infos *struct{ name, description stringView } // iree_hal_driver_info_t
	if err := l.check(dl.Call(l.api.registryEnumerate, d.registry, 0, l.api.allocatorLibcCtl,
		uintptr(unsafe.Pointer(&count)), uintptr(unsafe.Pointer(&infos)))); err != nil {
		return nil, err
	}
	if infos == nil {
		return nil, nil
	}
	var names []string
	for _, info := range unsafe.Slice(infos, int(count)) {
		names = append(names, info.name.text())
	}
	dl.Call(l.api.allocatorFree, 0, l.api.allocatorLibcCtl, uintptr(unsafe.Pointer(infos)))
	return names, nil
}

// setTaskThreads sets the number of workers that the next local-task device of this process will have. The runtime
// reads it from its own command line flags.
func (l *Library) setTaskThreads(o DeviceOptions) error {
	if o.TaskThreads < 0 || o.TaskThreads > maxTaskThreads {
		return fmt.Errorf("%d task threads: give 1 to %d, or 0 for one on each physical core",
			o.TaskThreads, maxTaskThreads)
	}
	if o.Driver != "local-task" {
		if o.TaskThreads > 0 {
			return fmt.Errorf("%d task threads: only the device local-task has threads", o.TaskThreads)
		}
		return nil
	}
	parse, err := l.optional("iree_flags_parse", "set the number of task threads")
	if err != nil {
		if o.TaskThreads == 0 {
			return nil // the runtime's own choice is unchanged
		}
		return err
	}
	// iree_flags_parse(mode, int *argc, char ***argv) removes what it has read from the list.
	var pinner runtime.Pinner
	defer pinner.Unpin()
	program := []byte("zonemark\x00")
	flag := fmt.Appendf(nil, "--task_topology_group_count=%d\x00", o.TaskThreads)
	pinner.Pin(&program[0])
	pinner.Pin(&flag[0])
	list := [3]*byte{&program[0], &flag[0]}
	pinner.Pin(&list)
	arguments, count := &list[0], int32(2)
	argv := &arguments
	return l.check(dl.Call(parse, 0, uintptr(unsafe.Pointer(&count)), uintptr(unsafe.Pointer(argv))))
}

// Name returns the name of the device's driver.
func (d *Device) Name() string { return d.name }

// Close releases the device. All its sessions must be closed.
func (d *Device) Close() {
	l := d.library
	for _, held := range []struct {
		object  *uintptr
		release uintptr
	}{{&d.device, l.api.deviceRelease}, {&d.instance, l.api.instanceRelease}, {&d.registry, l.api.registryFree}} {
		if *held.object != 0 {
			dl.Call(held.release, *held.object)
			*held.object = 0
		}
	}
}

var errClosed = errors.New("it is closed")
