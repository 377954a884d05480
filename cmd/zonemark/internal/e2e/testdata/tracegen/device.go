package main

import (
	"fmt"
	"math"
	"runtime"
	"time"
	"unsafe"

	"zonemark/executor/dl"
	"zonemark/executor/tracy"
)

// deviceClock is what the clock of the device shows when its context is made: it is far from that of the CPU.
const deviceClock = 1_000_000_000

// vulkanContext is Tracy's GpuContextType of Vulkan.
const vulkanContext = 2

// device emits zones of a device through the functions of Tracy's client for GPUs, as drivers do.
type device struct {
	newContext    uintptr `c:"___tracy_emit_gpu_new_context_serial"`
	allocLocation uintptr `c:"___tracy_alloc_srcloc_name"`
	begin         uintptr `c:"___tracy_emit_gpu_zone_begin_alloc_serial"`
	end           uintptr `c:"___tracy_emit_gpu_zone_end_serial"`
	time          uintptr `c:"___tracy_emit_gpu_time_serial"`

	made    time.Time
	queries uint16
}

func newDevice(lookup func(string) (uintptr, error)) (*device, error) {
	d := &device{}
	if err := dl.Fill(lookup, d); err != nil {
		return nil, err
	}
	period := uintptr(math.Float32bits(1)) // nanoseconds of a tick; behind it: context, flags, type
	dl.Call(d.newContext, deviceClock, period|vulkanContext<<48)
	d.made = time.Now()
	return d, nil
}

// now is the time by the clock of the device.
func (d *device) now() uintptr { return deviceClock + uintptr(time.Since(d.made)) }

// zone emits a zone around what do emits. Its times arrive afterwards, as those of a device do.
func (d *device) zone(name string, do func()) {
	file, function := []byte("model.mlir"), []byte(name)
	location := dl.Call(d.allocLocation, 9, address(file), uintptr(len(file)), address(function),
		uintptr(len(function)), 0, 0, 0)
	runtime.KeepAlive(file)
	runtime.KeepAlive(function)
	begin, end := uintptr(d.queries), uintptr(d.queries+1) // the context, behind them, is 0
	d.queries += 2
	dl.Call(d.begin, location, begin)
	began := d.now()
	do()
	ended := d.now()
	dl.Call(d.end, end)
	dl.Call(d.time, began, begin)
	dl.Call(d.time, ended, end)
}

func address(text []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(text))) }

// emitDevice emits six invocations on a device: in each, a buffer of commands with two dispatches, of one and of two
// milliseconds, for which the invoking thread waits.
func emitDevice(client *tracy.Client, lookup func(string) (uintptr, error)) error {
	wait, err := client.Locate(tracy.Location{Name: "fence_wait", Function: "dispatch", File: "device.go", Line: 3})
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	d, err := newDevice(lookup)
	if err != nil {
		return err
	}
	for i := range 6 {
		bracket := client.Begin(fmt.Sprintf("gemm/%d", i%2))
		waiting := client.BeginAt(wait)
		d.zone("iree_hal_device_command_buffer", func() {
			d.zone("gemm_dispatch_0", func() { spin(time.Millisecond) })
			d.zone("gemm_dispatch_1", func() { spin(2 * time.Millisecond) })
		})
		waiting.End()
		bracket.End()
	}
	return nil
}
