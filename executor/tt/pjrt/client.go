package pjrt

import (
	"errors"
	"fmt"
	"unsafe"
)

// Client holds the devices of a plugin. It must be closed after everything that was made with it.
type Client struct {
	plugin  *Plugin
	handle  uintptr
	devices []Device
}

// Device is one of a client's devices. It lives as long as the client.
type Device struct {
	handle uintptr
	Kind   string // "cpu", "Wormhole_b0", …; empty if the plugin does not report it
	ID     int64  // the plugin's number for it; -1 if the plugin does not report it
}

// NewClient opens the plugin's devices.
func (p *Plugin) NewClient() (*Client, error) {
	args := clientCreateArgs{base: sized[clientCreateArgs]()}
	if err := p.call(clientCreate, unsafe.Pointer(&args)); err != nil {
		return nil, fmt.Errorf("open the devices of %s: %w", p.path, err)
	}
	c := &Client{plugin: p, handle: args.client}
	if err := c.findDevices(); err != nil {
		return nil, errors.Join(fmt.Errorf("the devices of %s: %w", p.path, err), c.Close())
	}
	return c, nil
}

// maxDevices limits the length of the list of devices, as a check of plausibility.
const maxDevices = 1 << 16

func (c *Client) findDevices() error {
	args := clientDevicesArgs{base: sized[clientDevicesArgs](), client: c.handle}
	if err := c.plugin.call(clientAddressableDevices, unsafe.Pointer(&args)); err != nil {
		return err
	}
	if args.count == 0 || args.count > maxDevices || args.devices == 0 {
		return fmt.Errorf("the plugin says that there are %d", args.count)
	}
	for _, handle := range unsafe.Slice((*uintptr)(at(args.devices)), args.count) {
		kind, id := c.describe(handle)
		c.devices = append(c.devices, Device{handle, kind, id})
	}
	return nil
}

// describe returns a device's kind and ID, or "" and -1 if the plugin does not report them.
func (c *Client) describe(device uintptr) (kind string, id int64) {
	description := deviceDescriptionArgs{base: sized[deviceDescriptionArgs](), device: device}
	if c.plugin.call(deviceGetDescription, unsafe.Pointer(&description)) != nil {
		return "", -1
	}
	kindArgs := deviceKindArgs{base: sized[deviceKindArgs](), description: description.description}
	if c.plugin.call(deviceDescriptionKind, unsafe.Pointer(&kindArgs)) == nil {
		kind = text(kindArgs.text, min(kindArgs.size, maxMessage))
	}
	idArgs := deviceIDArgs{base: sized[deviceIDArgs](), description: description.description}
	if c.plugin.call(deviceDescriptionID, unsafe.Pointer(&idArgs)) != nil {
		return kind, -1
	}
	return kind, int64(idArgs.id)
}

// Devices returns the devices that this process can use.
func (c *Client) Devices() []Device { return c.devices }

// Plugin returns the plugin that the client belongs to.
func (c *Client) Plugin() *Plugin { return c.plugin }

// Platform returns the plugin's name for its kind of device, and its version. Each is empty if the plugin does not
// report it.
func (c *Client) Platform() (name, version string) {
	return c.text(clientPlatformName), c.text(clientPlatformVersion)
}

func (c *Client) text(f function) string {
	args := clientTextArgs{base: sized[clientTextArgs](), client: c.handle}
	if c.plugin.call(f, unsafe.Pointer(&args)) != nil {
		return ""
	}
	return text(args.text, min(args.size, maxMessage))
}

// Close releases the devices.
func (c *Client) Close() error {
	if c.handle == 0 {
		return nil
	}
	handle := c.handle
	c.handle = 0
	return c.plugin.destroy(clientDestroy, handle)
}

// destroy frees an object of the plugin. A handle of 0 is no object.
func (p *Plugin) destroy(f function, handle uintptr) error {
	if handle == 0 {
		return nil
	}
	args := handleArgs{base: sized[handleArgs](), handle: handle}
	return p.call(f, unsafe.Pointer(&args))
}
