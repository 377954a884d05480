package ttmetal

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// DeviceLog is what tt-metal's profile_log_device.csv says about the runs of ops. Such a log has hundreds of rows for
// each run and may have gigabytes; the rows are not kept.
type DeviceLog struct {
	Arch     string
	ChipMHz  float64
	MaxCores int         // compute cores; 0: not said
	Runs     []DeviceRun // in the order of their first rows
	Rows     int64       // time stamps in the file
}

// NS converts cycles of the log's chip to ns.
func (l *DeviceLog) NS(cycles int64) float64 { return float64(cycles) / l.ChipMHz * 1000 }

// deviceColumn is a column of the device's log. Others come and go with versions.
type deviceColumn struct {
	name     string
	required bool
}

// The columns that we read; the constants are their positions in deviceColumns.
const (
	columnSlot = iota
	columnX
	columnY
	columnRISC
	columnCycles
	columnRun
	columnTrace
	columnCounter
	columnZone
	columnType
)

func deviceColumns() []deviceColumn {
	return []deviceColumn{{"PCIe slot", false}, {"core_x", true}, {"core_y", true}, {"RISC processor type", true},
		{"time[cycles since reset]", true}, {"run host ID", true},
		{"trace id", false}, {"trace id counter", false}, {"zone name", true}, {"type", true}}
}

// ReadDeviceLog reads a profile_log_device.csv; the name stands for it in errors. With an error come the runs before
// it.
func ReadDeviceLog(name string, r io.Reader) (*DeviceLog, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	log := &DeviceLog{}
	if err := log.readChip(in); err != nil {
		return nil, fmt.Errorf("%s:1: %w", name, err)
	}
	rows := csv.NewReader(in)
	rows.FieldsPerRecord, rows.LazyQuotes, rows.ReuseRecord = -1, true, true
	b := newRunBuilder()
	err := log.readRows(name, rows, b)
	log.Runs = b.finish()
	return log, err
}

// readChip reads the first line, "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64".
func (l *DeviceLog) readChip(in *bufio.Reader) error {
	first, err := readShortLine(in)
	if err != nil {
		return err
	}
	for _, field := range strings.Split(first, ",") {
		key, value, _ := strings.Cut(field, ":")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch key {
		case "ARCH":
			l.Arch = value
		case "CHIP_FREQ[MHz]":
			l.ChipMHz, err = strconv.ParseFloat(value, 64)
		case "Max Compute Cores":
			l.MaxCores, err = strconv.Atoi(value)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	if l.Arch == "" || !(l.ChipMHz >= 1 && l.ChipMHz <= 1e6) {
		return errors.New("no ARCH and no CHIP_FREQ[MHz] from 1 to 1000000; expected tt-metal's profile_log_device.csv")
	}
	return nil
}

func (l *DeviceLog) readRows(name string, rows *csv.Reader, b *runBuilder) error {
	const linesBefore = 1
	at := func(err error, line int) error { return fmt.Errorf("%s:%d: %w", name, line+linesBefore, err) }
	header, err := rows.Read()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("the header is missing; the file is empty or cut")
		}
		return at(err, 1)
	}
	var places [columnType + 1]int // of the columns in a row; -1: the file has none
	least := 0                     // fields that a row must have
	for i, c := range deviceColumns() {
		places[i] = -1
		for k, title := range header {
			if strings.TrimSpace(title) == c.name {
				places[i] = k
			}
		}
		if places[i] < 0 && c.required {
			return at(fmt.Errorf("there is no column %q; is this the right file?", c.name), 1)
		}
		least = max(least, places[i]+1)
	}
	columns := len(header)
	for {
		record, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			if parse := (*csv.ParseError)(nil); errors.As(err, &parse) {
				return at(parse.Err, parse.Line)
			}
			return fmt.Errorf("%s: %w", name, err)
		}
		if len(record) > columns {
			err = fmt.Errorf("%d fields under %d columns", len(record), columns)
		} else if len(record) < least {
			err = fmt.Errorf("%d fields where at least %d are needed; the file was cut or is still being written",
				len(record), least)
		} else {
			l.Rows++
			var m timeStamp
			if m, err = newTimeStamp(record, &places); err == nil {
				err = b.add(&m)
			}
		}
		if err != nil {
			line, _ := rows.FieldPos(0)
			return at(err, line)
		}
	}
}

// newTimeStamp reads the fields of a row. The strings are parts of it.
func newTimeStamp(record []string, places *[columnType + 1]int) (m timeStamp, err error) {
	text := func(column int) string {
		if places[column] < 0 {
			return ""
		}
		return cellOf(record[places[column]])
	}
	number := func(column int, none int64) int64 {
		s := text(column)
		if s == "" || err != nil {
			return none
		}
		n, parseErr := strconv.ParseInt(s, 10, 64)
		if parseErr != nil {
			err = fmt.Errorf("column %q: %w", deviceColumns()[column].name, notANumber(s))
		}
		return n
	}
	m.place = processorPlace{device: number(columnSlot, 0), x: number(columnX, 0), y: number(columnY, 0),
		risc: text(columnRISC)}
	m.key = runKey{device: m.place.device, call: number(columnRun, 0), trace: number(columnTrace, -1),
		counter: number(columnCounter, -1)}
	m.cycles, m.zone, m.kind = number(columnCycles, 0), text(columnZone), text(columnType)
	if err == nil && (m.cycles < 0 || m.cycles > mostCycles) {
		err = fmt.Errorf("column %q: %d is no time", deviceColumns()[columnCycles].name, m.cycles)
	}
	return m, err
}

// mostCycles keeps sums and differences of times from overflowing; a chip of 1 GHz takes a century for them.
const mostCycles = 1 << 62

// readShortLine reads a line that must fit the reader's buffer.
func readShortLine(in *bufio.Reader) (string, error) {
	line, err := in.ReadSlice('\n')
	if err != nil && (err != io.EOF || len(line) == 0) {
		return "", fmt.Errorf("the first line cannot be read: %w", err)
	}
	return strings.TrimSpace(string(line)), nil
}
