package halprofile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"zonemark/invocations/remedy"
)

// Layout of .ireeprof files: a header, then records. Each record has a header, a content type, a name and a payload.
const (
	magic             = "IRPF"
	majorVersion      = 1
	headerBytes       = 24
	recordHeaderBytes = 104
	chunkRecord       = 2 // iree_hal_profile_file_record_type_t: 1 begins the session, 3 ends it
	maxTextBytes      = 1 << 16
)

// ReadFile reads an .ireeprof file, such as iree-benchmark-module --device_profiling_output writes. An error names the
// file and the byte.
func ReadFile(path string) (*Records, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read IREE profile: %w", err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read IREE profile: %w", err)
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("read IREE profile %s: not a regular file", path)
	}
	r, err := Decode(bufio.NewReader(f), st.Size())
	if err != nil {
		return nil, fmt.Errorf("read IREE profile %s: %w", path, err)
	}
	return r, nil
}

// Decode reads an .ireeprof file of size bytes from r.
func Decode(r io.Reader, size int64) (*Records, error) {
	var header [headerBytes]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return nil, cutOff("the file's header", 0, err)
	}
	le := binary.LittleEndian
	if string(header[:4]) != magic {
		return nil, errors.New("not an IREE profile: it does not begin with IRPF")
	}
	if major, minor := le.Uint16(header[4:]), le.Uint16(header[6:]); major != majorVersion {
		return nil, remedy.With(fmt.Errorf("a profile of version %d.%d, and zonemark reads %d", major, minor, majorVersion),
			remedy.Remedy{Kind: remedy.Install, Name: "iree"})
	}
	length := int64(le.Uint32(header[8:]))
	if length < headerBytes || length > size {
		return nil, fmt.Errorf("byte 8: a header of %d bytes in a file of %d", length, size)
	}
	if whole := le.Uint64(header[16:]); whole > uint64(size) {
		return nil, fmt.Errorf("cut off: the file has %d of %d bytes", size, whole)
	}
	if _, err := io.CopyN(io.Discard, r, length-headerBytes); err != nil {
		return nil, cutOff("the file's header", headerBytes, err)
	}
	if length == size {
		return nil, errors.New("it holds no records: the device does not know the kind of profile that was asked for")
	}
	records := &Records{Functions: make(map[FunctionKey]string)}
	for at := length; at < size; {
		n, err := records.decodeRecord(r, at, size)
		if err != nil {
			return nil, err
		}
		at += n
	}
	return records, records.onHostClock()
}

// decodeRecord reads the record at byte at and returns its length.
func (r *Records) decodeRecord(in io.Reader, at, size int64) (int64, error) {
	var h [recordHeaderBytes]byte
	if _, err := io.ReadFull(in, h[:]); err != nil {
		return 0, cutOff("a record's header", at, err)
	}
	le := binary.LittleEndian
	whole, payload := le.Uint64(h[0:]), le.Uint64(h[8:])
	header, contentType, name := uint64(le.Uint32(h[56:])), uint64(le.Uint32(h[60:])), uint64(le.Uint32(h[64:]))
	left := uint64(size - at)
	switch {
	case whole > left:
		return 0, fmt.Errorf("byte %d: a record of %d bytes, and %d are left", at, whole, left)
	case header < recordHeaderBytes || contentType > maxTextBytes || name > maxTextBytes,
		header > whole || payload > whole || header+contentType+name+payload > whole:
		return 0, fmt.Errorf("byte %d: a record of %d bytes cannot hold a header of %d, texts of %d and %d and %d of "+
			"records", at, whole, header, contentType, name, payload)
	}
	// The file limits what is read, not the value of a field.
	body, err := io.ReadAll(io.LimitReader(in, int64(whole-recordHeaderBytes)))
	if err != nil {
		return 0, cutOff("a record", at, err)
	}
	if uint64(len(body)) != whole-recordHeaderBytes {
		return 0, cutOff("a record", at, io.ErrUnexpectedEOF)
	}
	if le.Uint16(h[100:]) == chunkRecord {
		text := body[header-recordHeaderBytes:]
		data := text[contentType+name:][:payload]
		r.device = le.Uint32(h[68:])
		if err := r.Add(string(text[:contentType]), data, le.Uint64(h[88:])); err != nil {
			return 0, fmt.Errorf("record at byte %d: %w", at, err)
		}
	}
	return int64(whole), nil
}

func cutOff(what string, at int64, err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("byte %d: %s is cut off", at, what)
	}
	return fmt.Errorf("byte %d: %s: %w", at, what, err)
}
