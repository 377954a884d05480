package ttsim

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"zonemark/executor/dl"
)

// machine holds the only simulator of this process.
type machine struct{ card *card }

// card is the simulated cards of a library, all of one kind, accessed through their PCI memory. All calls are made on
// the thread that opened it. Errors of the simulator end the process.
type card struct {
	path string
	chip chip
	bar0 []uint64 // of each card that the host sees
	odd  error    // why nothing can run on the card; nil if programs can

	functions
	shown []view // what the window of each card shows

	// Waiting for a call uses these. They are made once, because nothing is allocated during a measurement.
	word       *[wordBytes]byte
	entry      *[12]byte
	zeros      []byte // for memory that no program fills
	clockWords []uintptr
	pollWords  []uintptr
}

// functions are those of the simulator.
type functions struct {
	start  uintptr `c:"libttsim_init"`
	config uintptr `c:"libttsim_pci_config_rd32"`  // device, offset
	read   uintptr `c:"libttsim_pci_mem_rd_bytes"` // address, bytes, count
	write  uintptr `c:"libttsim_pci_mem_wr_bytes"` // the same
	clocks uintptr `c:"libttsim_clock"`            // count
}

// open loads the simulator at path and starts it, or returns the running one.
func (m *machine) open(path string) (*card, error) {
	if m.card != nil {
		if m.card.path != path {
			return nil, fmt.Errorf("simulator %s: this process has started %s, and can start one only; give variants "+
				"of a group one simulator", path, m.card.path)
		}
		return m.card, m.card.odd
	}
	library, err := dl.Open(path)
	if err != nil {
		return nil, fmt.Errorf("simulator: %w", err)
	}
	c := &card{path: path, word: new([wordBytes]byte), entry: new([12]byte), zeros: make([]byte, maxWrite)}
	if err := dl.Fill(library.Lookup, &c.functions); err != nil {
		return nil, fmt.Errorf("%s is not the simulator ttsim: %w", path, err)
	}
	dl.Call(c.start)
	m.card = c // from here on this process cannot start another simulator
	if err := c.enumerate(func(device, offset uintptr) uint32 {
		return uint32(dl.Call(c.config, device<<deviceShift, offset))
	}); err != nil {
		c.odd = fmt.Errorf("simulator %s: %w", path, err)
		return nil, c.odd
	}
	return c, nil
}

// enumerate finds the cards of the library.
func (c *card) enumerate(config func(device, offset uintptr) uint32) (err error) {
	first := config(0, configID)
	if c.chip, err = chipOf(first); err != nil {
		return err
	}
	for device := uintptr(0); device < maxChips; device++ {
		id := config(device, configID)
		if id == noDevice {
			break
		}
		if id != first {
			return fmt.Errorf("its card %d has the PCI id %#x, and its first one %#x; cards of one kind are supported",
				device, id, first)
		}
		bar0 := uint64(config(device, configBAR0)&^barFlags) | uint64(config(device, configBAR0Top))<<32
		c.bar0, c.shown = append(c.bar0, bar0), append(c.shown, view{page: noPage})
	}
	return nil
}

// view is what a window shows: a page of a tile.
type view struct {
	page uint64
	noc  uint32
}

// noPage is no number of a page, so the first access sets the window.
const noPage = 1<<64 - 1

// place returns where a tile is reached. It fails if there is none.
func (c *card) place(t tile) (place, error) {
	if t.chip >= len(c.bar0) {
		return place{}, fmt.Errorf("the host sees %d of the simulator's chips, and the program uses chip %d (the first is "+
			"0); chips that are reached over Ethernet only are not supported; name a simulator that shows the host more",
			len(c.bar0), t.chip)
	}
	return c.chip.place(t)
}

// show makes the window of a chip show the page of an address of a tile and returns the address in PCI memory.
func (c *card) show(at place, address uint64) uint64 {
	bar0 := c.bar0[at.chip]
	if v := (view{address >> c.chip.pageBits, at.noc}); v != c.shown[at.chip] {
		entry, size := c.chip.windowEntry(v.page, v.noc)
		*c.entry = entry
		width := size
		if c.chip.narrow { // wider writes end the process
			width = wordBytes
		}
		for i := 0; i < size; i += width {
			dl.Call(c.write, uintptr(bar0+c.chip.entry+uint64(i)), uintptr(unsafe.Pointer(&c.entry[i])), uintptr(width))
		}
		c.shown[at.chip] = v
	}
	return bar0 + c.chip.window + address&c.chip.pageMask()
}

// These are the largest sizes of a single access that worked with ttsim 1.10.
const (
	maxWrite = 4096
	maxRead  = wordBytes
)

// writeMemory writes to L1 of a tile. Address and length must be multiples of a word.
func (c *card) writeMemory(at place, address uint32, data []byte) {
	c.transfer(c.write, at, address, data, maxWrite)
}

// readMemory reads L1 of a tile. Address and length must be multiples of a word.
func (c *card) readMemory(at place, address uint32, data []byte) {
	c.transfer(c.read, at, address, data, maxRead)
}

func (c *card) transfer(access uintptr, at place, address uint32, data []byte, maxBytes int) {
	for len(data) > 0 {
		n := min(len(data), maxBytes)
		dl.Call(access, uintptr(c.show(at, uint64(address))), uintptr(unsafe.Pointer(&data[0])), uintptr(n))
		address, data = address+uint32(n), data[n:]
	}
}

// reset writes the register of a tile that selects the running cores.
func (c *card) reset(at place, value uint32) {
	binary.LittleEndian.PutUint32(c.word[:], value)
	dl.Call(c.write, uintptr(c.show(at, softReset0)), uintptr(unsafe.Pointer(&c.word[0])), wordBytes)
}

// clockStep is the number of cycles between two reads of the mailboxes.
const clockStep = 256

// step clocks all cards.
func (c *card) step() {
	c.clockWords = append(c.clockWords[:0], clockStep)
	dl.Call(c.clocks, c.clockWords...)
}

// readWord reads a word of L1 of a tile.
func (c *card) readWord(at place, address uint32) uint32 {
	c.pollWords = append(c.pollWords[:0], uintptr(c.show(at, uint64(address))), uintptr(unsafe.Pointer(&c.word[0])),
		wordBytes)
	dl.Call(c.read, c.pollWords...)
	return binary.LittleEndian.Uint32(c.word[:])
}
