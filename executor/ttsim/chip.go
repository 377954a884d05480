package ttsim

import "fmt"

// chip holds the differences between the simulated cards. The PCI configuration space identifies the card.
type chip struct {
	name     string
	l1       uint32 // bytes
	x, y     uint64 // of the first Tensix core, on the NoC
	window   uint64 // offset in BAR 0 of the window through which the card's memory is reached
	pageBits uint   // the window has 1<<pageBits bytes and begins at a multiple of that
	entry    uint64 // offset in BAR 0 of the entry that selects the page of the window
	narrow   bool   // the entry is three words of 32 bits instead of one of 64
}

// In PCI configuration space, vendor and device are at 0, and BAR 0 is at 0x10 with its upper half behind it.
const (
	configID      = 0
	configBAR0    = 0x10
	configBAR0Top = 0x14
	barFlags      = 0xf

	tenstorrent = 0x1e52
	wormhole    = 0x401e
	blackhole   = 0xb140
)

// These are addresses and values of registers of a Tensix core.
const (
	softReset0 = 0xFFB121B0
	// resetBRISC lets BRISC run and holds the other four cores of the Tensix core.
	resetBRISC = 0x47000
	resetAll   = 0x47800
)

// chipOf returns the chip with a PCI id.
func chipOf(id uint32) (chip, error) {
	if id&0xffff == tenstorrent {
		switch id >> 16 {
		case wormhole: // entry 166 is the first one of 16 MiB
			return chip{
				name:     "Wormhole",
				l1:       1464 << 10,
				x:        1,
				y:        1,
				window:   0xB000000,
				pageBits: 24,
				entry:    0x1FC00000 + 166*8,
			}, nil
		case blackhole: // entry 0, of 2 MiB
			return chip{
				name:     "Blackhole",
				l1:       1536 << 10,
				x:        1,
				y:        2,
				window:   0,
				pageBits: 21,
				entry:    0x1FC00000,
				narrow:   true,
			}, nil
		}
	}
	return chip{}, fmt.Errorf("it simulates a card with the PCI id %04x:%04x; want Wormhole (%04x:%04x) or Blackhole "+
		"(%04x:%04x)",
		id&0xffff, id>>16, tenstorrent, wormhole, tenstorrent, blackhole)
}

// windowWords returns the words of 32 bits that make the entry select an address of the first Tensix core.
func (c chip) windowWords(address uint64) []uint32 {
	page, core := address>>c.pageBits, c.x|c.y<<6
	if c.narrow {
		const pageTop, coreShift = 0x7ff, 11
		return []uint32{uint32(page), uint32(page>>32)&pageTop | uint32(core<<coreShift), 0}
	}
	const coreShift = 12
	entry := page | core<<coreShift
	return []uint32{uint32(entry), uint32(entry >> 32)}
}

// pageMask returns the part of an address that lies inside the window.
func (c chip) pageMask() uint64 { return 1<<c.pageBits - 1 }
