package pjrt

import (
	"errors"
	"fmt"
	"unsafe"
)

// Buffer is an array on a device. The zero value is no buffer.
type Buffer struct{ handle uintptr }

// Destroy frees a buffer.
func (c *Client) Destroy(b Buffer) error { return c.plugin.destroy(bufferDestroy, b.handle) }

// HostBytes returns the size of a buffer's contents on the host, dense and row-major.
func (c *Client) HostBytes(b Buffer) (int64, error) {
	args := toHostArgs{base: sized[toHostArgs](), source: b.handle}
	if err := c.plugin.call(bufferToHostBuffer, unsafe.Pointer(&args)); err != nil {
		return 0, err
	}
	events, err := c.plugin.waiting()
	if err != nil {
		return 0, err
	}
	return int64(args.size), events.each(args.done)
}

// Upload pushes one array to a device any number of times.
type Upload struct {
	client *Client
	args   bufferFromHostArgs
	push   prepared
	events *waiter
}

// NewUpload prepares pushing data of a shape, dense and row-major, to a device. The data must not change while a push
// runs.
func (c *Client) NewUpload(data []byte, s Shape, device Device) (*Upload, error) {
	if size, ok := s.Bytes(); !ok || size != int64(len(data)) {
		return nil, fmt.Errorf("%d bytes for an array of %s", len(data), s)
	}
	// One element more than needed gives empty lists an address, too.
	if len(data) == 0 {
		data = make([]byte, 1)
	}
	dims := append(append([]int64{}, s.Dimensions...), 0)
	strides := append(s.strides(), 0) // IREE's plugin takes data without strides for one element that is repeated
	u := &Upload{
		client: c,
		args: bufferFromHostArgs{
			base:       sized[bufferFromHostArgs](),
			client:     c.handle,
			data:       unsafe.Pointer(&data[0]),
			element:    int32(s.Element),
			dimensions: unsafe.Pointer(&dims[0]),
			rank:       uintptr(len(s.Dimensions)),
			strides:    unsafe.Pointer(&strides[0]),
			strideRank: uintptr(len(s.Dimensions)),
			semantics:  immutableOnlyDuringCall,
			device:     device.handle,
		},
	}
	var err error
	if u.push, err = c.plugin.prepare(clientBufferFromHostBuffer, unsafe.Pointer(&u.args)); err != nil {
		return nil, err
	}
	u.events, err = c.plugin.waiting()
	return u, err
}

// Push makes a buffer of the data and waits until the plugin no longer needs the data. The data may not have arrived
// then: whatever uses the buffer waits for it.
func (u *Upload) Push() (Buffer, error) {
	u.args.done, u.args.buffer = 0, 0
	if err := u.push.call(); err != nil {
		return Buffer{}, err
	}
	b := Buffer{u.args.buffer}
	if err := u.events.each(u.args.done); err != nil {
		return Buffer{}, errors.Join(err, u.client.Destroy(b))
	}
	return b, nil
}

// Download copies buffers of one size to the host any number of times.
type Download struct {
	args   toHostArgs
	copy   prepared
	events *waiter
}

// NewDownload prepares copying into a destination, which must have a buffer's HostBytes.
func (c *Client) NewDownload(destination []byte) (*Download, error) {
	d := &Download{args: toHostArgs{base: sized[toHostArgs](), size: uintptr(len(destination))}}
	if len(destination) > 0 {
		d.args.destination = unsafe.Pointer(&destination[0])
	}
	var err error
	if d.copy, err = c.plugin.prepare(bufferToHostBuffer, unsafe.Pointer(&d.args)); err != nil {
		return nil, err
	}
	d.events, err = c.plugin.waiting()
	return d, err
}

// Start begins to copy a buffer. Several downloads may run at once. Each needs a Wait.
func (d *Download) Start(b Buffer) error {
	if d.args.destination == nil { // there is nothing to copy, and the plugin would take it as a query of the size
		return nil
	}
	d.args.source = b.handle
	return d.copy.call()
}

// Wait waits for the started copy.
func (d *Download) Wait() error {
	event := d.args.done
	d.args.done = 0
	return d.events.each(event)
}
