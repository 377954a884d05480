package ttsim

import (
	"encoding/binary"
	"fmt"
)

// chip holds the differences between the simulated cards. The PCI configuration space identifies the card.
type chip struct {
	name     string
	l1       uint32   // bytes
	device   uint32   // PCI device id
	columns  []uint32 // x of the columns of Tensix tiles, on the NoC
	rows     []uint32 // y of their rows
	window   uint64   // offset in BAR 0 of the window through which the card's memory is reached
	pageBits uint     // the window has 1<<pageBits bytes and begins at a multiple of that
	entry    uint64   // offset in BAR 0 of the entry that selects the page of the window
	narrow   bool     // the entry is three words of 32 bits instead of one of 64
}

// In PCI configuration space, vendor and device are at 0, and BAR 0 is at 0x10 with its upper half behind it.
const (
	configID      = 0
	configBAR0    = 0x10
	configBAR0Top = 0x14
	barFlags      = 0xf

	// A device is selected by its number above the bits of the function. All ones are read where there is none.
	deviceShift = 3
	noDevice    = 0xffffffff

	tenstorrent = 0x1e52
	wormhole    = 0x401e
	blackhole   = 0xb140
)

// softReset0 is the address of the register of a Tensix tile that holds its cores. It has a bit for each; see core.
const softReset0 = 0xFFB121B0

// chipOf returns the chip with a PCI id.
func chipOf(id uint32) (chip, error) {
	if id&0xffff == tenstorrent {
		switch id >> 16 {
		case wormhole: // entry 166 is the first one of 16 MiB
			return chip{
				name:     "Wormhole",
				l1:       1464 << 10,
				device:   wormhole,
				columns:  []uint32{1, 2, 3, 4, 6, 7, 8, 9},
				rows:     []uint32{1, 2, 3, 4, 5, 7, 8, 9, 10, 11},
				window:   0xB000000,
				pageBits: 24,
				entry:    0x1FC00000 + 166*8,
			}, nil
		case blackhole: // entry 0, of 2 MiB
			return chip{
				name:     "Blackhole",
				l1:       1536 << 10,
				device:   blackhole,
				columns:  []uint32{1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16},
				rows:     []uint32{2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
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

// place returns where a tile is reached. It fails if the chip has no such tile.
func (c chip) place(t tile) (place, error) {
	if t.column >= len(c.columns) || t.row >= len(c.rows) {
		return place{}, fmt.Errorf("the tile %s is not on %s, whose grid has %d columns and %d rows of Tensix tiles",
			t, c.name, len(c.columns), len(c.rows))
	}
	return place{t.chip, c.columns[t.column] | c.rows[t.row]<<6}, nil
}

// windowEntry returns the entry that makes the window show a page of a tile, and its size in bytes.
func (c chip) windowEntry(page uint64, noc uint32) (entry [12]byte, size int) {
	le, tile := binary.LittleEndian, uint64(noc)
	if c.narrow {
		const pageTop, tileShift = 0x7ff, 11
		le.PutUint32(entry[:], uint32(page))
		le.PutUint32(entry[4:], uint32(page>>32)&pageTop|uint32(tile<<tileShift))
		return entry, 12
	}
	const tileShift = 12
	le.PutUint64(entry[:], page|tile<<tileShift)
	return entry, 8
}

// pageMask returns the part of an address that lies inside the window.
func (c chip) pageMask() uint64 { return 1<<c.pageBits - 1 }
