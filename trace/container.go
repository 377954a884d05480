package trace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// blockSize is what every block but the last of a file inflates to (FileBufSize in Tracy's TracyFileRead.hpp).
const blockSize = 64 << 10

// A block is one compressed block of the container.
type block struct {
	offset int64 // of its content in the file
	size   uint32
}

// A container is the outer form of a capture: blocks {u32 size, content}, dealt to the streams in turns. Within a
// stream, a block may refer back to the ones before it.
type container struct {
	path     string
	file     io.ReaderAt
	fileSize int64
	zstd     bool // else LZ4
	streams  int
	blocks   []block
	cut      error // says where the last block is incomplete; nil: the file ends with a block
}

// readContainer reads the magic and the sizes of all blocks. Layouts: Tracy's TracyFileHeader.hpp and
// TracyFileRead.hpp; before 0.11 one stream.
func readContainer(path string, file io.ReaderAt, fileSize int64) (*container, error) {
	c := &container{path: path, file: file, fileSize: fileSize, streams: 1}
	header := make([]byte, min(fileSize, 6))
	if _, err := file.ReadAt(header, 0); err != nil && err != io.EOF {
		return nil, c.errorAt(0, err)
	}
	offset := int64(4)
	switch {
	case bytes.HasPrefix(header, []byte{'t', 'r', 0xFD, 'P'}):
		if len(header) < 6 {
			return nil, c.errorAt(fileSize, ErrTruncated)
		}
		if header[4] > 1 {
			return nil, c.errorAt(4, fmt.Errorf("unknown compression %d; 0 (LZ4) and 1 (zstd) are known", header[4]))
		}
		if header[5] == 0 {
			return nil, c.errorAt(5, errors.New("no streams"))
		}
		c.zstd, c.streams, offset = header[4] == 1, int(header[5]), 6
	case bytes.HasPrefix(header, []byte{'t', 'l', 'Z', 4}):
	case bytes.HasPrefix(header, []byte("tZst")):
		c.zstd = true
	case fileSize == 0:
		return nil, c.errorAt(0, errors.New("the file is empty; record the capture again"))
	default:
		return nil, c.errorAt(0, errors.New("this is not a Tracy capture: it begins with none of their signatures"))
	}
	if err := c.readBlocks(offset); err != nil {
		return nil, err
	}
	return c, nil
}

// readBlocks finds the blocks from offset on. An incomplete last one is left out.
func (c *container) readBlocks(offset int64) error {
	var size [4]byte
	for offset < c.fileSize {
		if c.fileSize-offset < 4 {
			c.cut = c.errorAt(offset, ErrTruncated)
			break
		}
		if _, err := c.file.ReadAt(size[:], offset); err != nil {
			return c.errorAt(offset, err)
		}
		b := block{offset + 4, binary.LittleEndian.Uint32(size[:])}
		if int64(b.size) > c.fileSize-b.offset {
			c.cut = c.errorAt(offset, ErrTruncated)
			break
		}
		c.blocks = append(c.blocks, b)
		offset = b.offset + int64(b.size)
	}
	if len(c.blocks) == 0 {
		if c.cut == nil {
			c.cut = c.errorAt(offset, ErrTruncated)
		}
		return c.cut
	}
	return nil
}

// maxInflated is more than the container can inflate to.
func (c *container) maxInflated() int64 { return int64(len(c.blocks)) * blockSize }

func (c *container) errorAt(offset int64, err error) error {
	return &FormatError{Path: c.path, Section: sectionContainer, Offset: offset, Err: err}
}
