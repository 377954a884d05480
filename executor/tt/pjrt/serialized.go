package pjrt

import (
	"errors"
	"fmt"
	"unsafe"

	"zonemark/executor/dl"
)

// maxSerialized limits the size of a serialized program, as a check of plausibility.
const maxSerialized = 4 << 30

// Serialize returns the compiled program in the plugin's own form. LoadSerialized accepts it in a client of the same
// plugin file on the same kind of device. The error is an *AbsentError, or the plugin's own *Error, if the plugin
// cannot serialize.
func (e *Executable) Serialize() ([]byte, error) {
	args := serializeArgs{base: sized[serializeArgs](), executable: e.program}
	if err := e.client.plugin.call(executableSerialize, unsafe.Pointer(&args)); err != nil {
		return nil, err
	}
	defer func() {
		if args.deleter != 0 {
			dl.Call(args.deleter, args.serialized)
		}
	}()
	if args.bytes == 0 || args.size == 0 || args.size > maxSerialized {
		return nil, fmt.Errorf("the plugin says that the serialized program takes %d bytes", args.size)
	}
	return append([]byte(nil), unsafe.Slice((*byte)(at(args.bytes)), args.size)...), nil
}

// LoadSerialized loads the result of Serialize, with the compile options that the program was compiled with.
func (c *Client) LoadSerialized(serialized []byte) (*Executable, error) {
	if len(serialized) == 0 {
		return nil, errors.New("the serialized program is empty")
	}
	args := deserializeArgs{
		base:   sized[deserializeArgs](),
		client: c.handle,
		bytes:  unsafe.Pointer(&serialized[0]),
		size:   uintptr(len(serialized)),
	}
	if err := c.plugin.call(executableDeserializeAndLoad, unsafe.Pointer(&args)); err != nil {
		return nil, err
	}
	e := &Executable{client: c, loaded: args.executable}
	if err := e.inspect(); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}
