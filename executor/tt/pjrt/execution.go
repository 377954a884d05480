package pjrt

import (
	"errors"
	"fmt"
	"unsafe"
)

// Execution is a program with its arguments, which can run any number of times. Everything that a run needs is
// allocated beforehand. It is not safe for concurrent use.
type Execution struct {
	args      executeArgs
	options   executeOptions
	arguments [][]uintptr // of each device
	outputs   [][]uintptr // of each device; 0 before the first run
	lists     [2][]unsafe.Pointer
	events    []uintptr
	kept      []int64 // indices of arguments that no run may take over
	execute   prepared
	waiting   *waiter
	ready     *resultWaiter
	freed     handleArgs // the buffer of freeing
	freeing   prepared
}

// NewExecution prepares runs with arguments: one list for each device, in the order in which the program was compiled
// for the devices. No run may take over the memory of the first keep arguments for its results (donation), so that they
// remain for the next run.
func (e *Executable) NewExecution(arguments [][]Buffer, keep int) (*Execution, error) {
	if len(arguments) == 0 {
		return nil, errors.New("a program runs on one device at least")
	}
	x := &Execution{events: make([]uintptr, len(arguments))}
	for device, list := range arguments {
		if len(list) != len(arguments[0]) {
			return nil, fmt.Errorf("device %d is given %d arguments and device 0 %d",
				device, len(list), len(arguments[0]))
		}
		// One word more than needed gives empty lists an address, too.
		x.arguments = append(x.arguments, make([]uintptr, len(list)+1)[:len(list)])
		x.outputs = append(x.outputs, make([]uintptr, e.outputs+1)[:e.outputs])
		x.lists[0] = append(x.lists[0], unsafe.Pointer(unsafe.SliceData(x.arguments[device])))
		x.lists[1] = append(x.lists[1], unsafe.Pointer(unsafe.SliceData(x.outputs[device])))
	}
	x.options = executeOptions{base: sized[executeOptions]()}
	if n := len(arguments[0]); keep < 0 || keep > n {
		return nil, fmt.Errorf("%d arguments are to be kept and there are %d", keep, n)
	}
	if keep > 0 {
		x.kept = make([]int64, keep)
		for i := range x.kept {
			x.kept[i] = int64(i)
		}
		x.options.nonDonatable, x.options.nonDonatableCount = unsafe.Pointer(&x.kept[0]), uintptr(keep)
	}
	x.args = executeArgs{
		base: sized[executeArgs](), executable: e.loaded, options: unsafe.Pointer(&x.options),
		argumentLists: unsafe.Pointer(&x.lists[0][0]), devices: uintptr(len(arguments)),
		arguments:   uintptr(len(arguments[0])),
		outputLists: unsafe.Pointer(&x.lists[1][0]), events: unsafe.Pointer(&x.events[0]),
	}
	x.SetArguments(arguments)
	var err [3]error
	x.execute, err[0] = e.client.plugin.prepare(loadedExecutableExecute, unsafe.Pointer(&x.args))
	x.waiting, err[1] = e.client.plugin.waiting()
	x.freed = handleArgs{base: sized[handleArgs]()}
	x.freeing, err[2] = e.client.plugin.prepare(bufferDestroy, unsafe.Pointer(&x.freed))
	x.ready = e.client.plugin.waitingForResults()
	return x, errors.Join(err[:]...)
}

// SetArguments replaces the arguments by the same number of others.
func (x *Execution) SetArguments(arguments [][]Buffer) {
	for device, list := range arguments {
		for i, b := range list {
			x.arguments[device][i] = b.handle
		}
	}
}

// Run runs the program once on all its devices and waits for their completion events, and until all results are ready:
// in IREE's plugin, the completion event of a device comes when its inputs are ready. It frees the results of the
// previous run first.
func (x *Execution) Run() error {
	if err := x.FreeOutputs(); err != nil {
		return err
	}
	if err := x.execute.call(); err != nil {
		return err
	}
	var failed error
	for i, event := range x.events {
		x.events[i] = 0
		if err := x.waiting.each(event); err != nil {
			failed = errors.Join(failed, err)
		}
	}
	if failed != nil {
		return failed
	}
	for _, list := range x.outputs {
		for _, result := range list {
			if err := x.ready.each(result, x.waiting); err != nil {
				failed = errors.Join(failed, err)
			}
		}
	}
	return failed
}

// Output returns a result of the last run on a device. It belongs to the execution.
func (x *Execution) Output(device, i int) Buffer { return Buffer{x.outputs[device][i]} }

// FreeOutputs frees the results of the last run.
func (x *Execution) FreeOutputs() error { return x.free(x.outputs, 0) }

// FreeArguments frees the arguments except the first keep of them. SetArguments must be called before the next run.
func (x *Execution) FreeArguments(keep int) error { return x.free(x.arguments, keep) }

func (x *Execution) free(lists [][]uintptr, from int) error {
	var failed error
	for _, list := range lists {
		for i, handle := range list {
			if i < from || handle == 0 {
				continue
			}
			list[i], x.freed.handle = 0, handle
			if err := x.freeing.call(); err != nil {
				failed = errors.Join(failed, err)
			}
		}
	}
	return failed
}
