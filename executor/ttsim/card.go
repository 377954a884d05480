package ttsim

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"zonemark/executor/dl"
)

// machine holds the only simulator of this process.
type machine struct{ card *card }

// card is a simulated card, accessed through its PCI memory. All calls are made on the thread that opened it. Errors of
// the simulator end the process.
type card struct {
	path string
	chip chip
	bar0 uint64
	odd  error // why nothing can run on the card; nil if programs can

	read, write uintptr // libttsim_pci_mem_rd_bytes, libttsim_pci_mem_wr_bytes: address, bytes, count
	clocks      uintptr // libttsim_clock: count
	page        uint64  // the page that the window shows, times its size

	// Waiting for a call uses these. They are made once, because nothing is allocated during a measurement.
	word       *[wordBytes]byte
	clockWords []uintptr
	pollWords  []uintptr
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
	// No page of the window begins at 1, so the first access sets the window.
	c := &card{path: path, word: new([wordBytes]byte), page: 1}
	var start, config uintptr
	for name, f := range map[string]*uintptr{
		"libttsim_init": &start, "libttsim_pci_config_rd32": &config, "libttsim_clock": &c.clocks,
		"libttsim_pci_mem_rd_bytes": &c.read, "libttsim_pci_mem_wr_bytes": &c.write,
	} {
		if *f, err = library.Lookup(name); err != nil {
			return nil, fmt.Errorf("%s is not the simulator ttsim: it does not export %s: %w", path, name, err)
		}
	}
	dl.Call(start)
	m.card = c // from here on this process cannot start another simulator
	readConfig := func(offset uintptr) uint32 { return uint32(dl.Call(config, 0, offset)) }
	if c.chip, err = chipOf(readConfig(configID)); err != nil {
		c.odd = fmt.Errorf("simulator %s: %w", path, err)
		return nil, c.odd
	}
	c.bar0 = uint64(readConfig(configBAR0)&^barFlags) | uint64(readConfig(configBAR0Top))<<32
	return c, nil
}

// show makes the window show the page of an address and returns the address in PCI memory.
func (c *card) show(address uint64) uint64 {
	if page := address &^ c.chip.pageMask(); page != c.page {
		words := c.chip.windowWords(address)
		var entry []byte
		for _, w := range words {
			entry = binary.LittleEndian.AppendUint32(entry, w)
		}
		width := len(entry)
		if c.chip.narrow { // wider writes end the process
			width = wordBytes
		}
		for at := 0; at < len(entry); at += width {
			dl.Call(c.write, uintptr(c.bar0+c.chip.entry+uint64(at)), uintptr(unsafe.Pointer(&entry[at])),
				uintptr(width))
		}
		c.page = page
	}
	return c.bar0 + c.chip.window + address&c.chip.pageMask()
}

// These are the largest sizes of a single access that worked with ttsim 1.10.
const (
	maxWrite = 4096
	maxRead  = wordBytes
)

// writeMemory writes to L1. Address and length must be multiples of a word.
func (c *card) writeMemory(address uint32, data []byte) { c.transfer(c.write, address, data, maxWrite) }

// readMemory reads L1. Address and length must be multiples of a word.
func (c *card) readMemory(address uint32, data []byte) { c.transfer(c.read, address, data, maxRead) }

func (c *card) transfer(access uintptr, address uint32, data []byte, maxBytes int) {
	for len(data) > 0 {
		n := min(len(data), maxBytes)
		dl.Call(access, uintptr(c.show(uint64(address))), uintptr(unsafe.Pointer(&data[0])), uintptr(n))
		address, data = address+uint32(n), data[n:]
	}
}

// reset writes the register that selects the running cores.
func (c *card) reset(value uint32) {
	binary.LittleEndian.PutUint32(c.word[:], value)
	dl.Call(c.write, uintptr(c.show(softReset0)), uintptr(unsafe.Pointer(&c.word[0])), wordBytes)
}

// clockStep is the number of cycles between two reads of the mailbox.
const clockStep = 256

// runUntil clocks the card until the word at an address of L1 is not 0, and returns it. It returns 0 if that does not
// happen within a number of cycles.
func (c *card) runUntil(address uint32, cycles int64) uint32 {
	c.clockWords = append(c.clockWords[:0], clockStep)
	c.pollWords = append(c.pollWords[:0], uintptr(c.show(uint64(address))), uintptr(unsafe.Pointer(&c.word[0])),
		wordBytes)
	for spent := int64(0); spent < cycles; spent += clockStep {
		dl.Call(c.clocks, c.clockWords...)
		dl.Call(c.read, c.pollWords...)
		if value := binary.LittleEndian.Uint32(c.word[:]); value != 0 {
			return value
		}
	}
	return 0
}
