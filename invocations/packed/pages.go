package packed

import "os"

// pages hold the bytes of values. When there are many, full ones go to a temporary file, so that the memory stays
// bounded. Lists that Reordered has made share them.
type pages struct {
	memory  [][]byte // the pages in memory; nil: in the file
	offsets []int64  // in the file
	bytes   int      // in memory
	most    int      // bytes in memory
	file    *os.File
	end     int64 // of the file
	stay    bool  // no file could be made or written: all further pages stay in memory
}

const (
	pageBytes = 256 << 10
	// mostMemory is how much is kept in memory. What a hundred thousand results need is less.
	mostMemory = 32 << 20
)

// add appends a value and tells where it is.
func (p *pages) add(value []byte) (page, offset uint32) {
	last := len(p.memory) - 1
	if last < 0 || cap(p.memory[last])-len(p.memory[last]) < len(value) {
		p.begin(max(len(value), p.size()))
		last = len(p.memory) - 1
	}
	offset = uint32(len(p.memory[last]))
	p.memory[last] = append(p.memory[last], value...)
	return uint32(last), offset
}

// size returns the size of the next page: short lists have small ones.
func (p *pages) size() int { return min(pageBytes, 1<<10<<min(len(p.memory), 10)) }

// begin begins a page. If there is too much in memory, the last page makes room for it.
func (p *pages) begin(size int) {
	var page []byte
	if last := len(p.memory) - 1; p.bytes+size > p.most && last >= 0 && p.write(last) {
		page, p.memory[last] = p.memory[last][:0], nil
		p.bytes -= cap(page)
	}
	if cap(page) < size {
		page = make([]byte, 0, size)
	}
	p.bytes += cap(page)
	p.memory, p.offsets = append(p.memory, page), append(p.offsets, 0)
}

// write writes a page into the file and reports whether it is there.
func (p *pages) write(page int) bool {
	if p.stay {
		return false
	}
	if p.file == nil {
		var err error
		if p.file, err = temporary(); err != nil {
			p.stay = true
			return false
		}
	}
	if _, err := p.file.WriteAt(p.memory[page], p.end); err != nil {
		p.stay = true
		return false
	}
	p.offsets[page] = p.end
	p.end += int64(len(p.memory[page]))
	return true
}

// read returns a value, in buffer if it is in the file. It returns the buffer, which may have grown.
func (p *pages) read(page, offset, length uint32, buffer []byte) (value, grown []byte) {
	if in := p.memory[page]; in != nil {
		return in[offset : offset+length], buffer
	}
	if cap(buffer) < int(length) {
		buffer = make([]byte, length)
	}
	if _, err := p.file.ReadAt(buffer[:length], p.offsets[page]+int64(offset)); err != nil {
		// Nobody else has the file, so the disk is broken, and what was measured is in the journal.
		panic("zonemark cannot read back what it has put into a temporary file: " + err.Error())
	}
	return buffer[:length], buffer
}
