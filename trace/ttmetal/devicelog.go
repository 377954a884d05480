package ttmetal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"zonemark/trace/csvtext"
	"zonemark/trace/ttmetal/columns"
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
	b := newRunBuilder()
	err := log.readRows(name, csvtext.NewRows(in), b)
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

func (l *DeviceLog) readRows(name string, rows *csvtext.Rows, b *runBuilder) error {
	const linesBefore = 1
	at := func(err error, line int) error { return fmt.Errorf("%s:%d: %w", name, line+linesBefore, err) }
	header, err := columns.Header(rows)
	if err != nil {
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
	texts := map[string]string{}
	for {
		cells, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if cells > len(header) {
			err = fmt.Errorf("%d fields under %d columns", cells, len(header))
		} else if cells < least {
			err = fmt.Errorf("%d fields where at least %d are needed; the file was cut or is still being written",
				cells, least)
		} else {
			l.Rows++
			var m timeStamp
			if m, err = newTimeStamp(rows, &places, texts); err == nil {
				err = b.add(&m)
			}
		}
		if err != nil {
			return at(err, rows.Line())
		}
	}
}

// mostTexts bounds the number of texts of a log that are remembered. Those of a log are a few dozen.
const mostTexts = 4096

// newTimeStamp reads the cells of a row. Its strings are those of texts, which learns new ones.
func newTimeStamp(rows *csvtext.Rows, places *[columnType + 1]int, texts map[string]string) (m timeStamp, err error) {
	cell := func(column int) []byte {
		if places[column] < 0 {
			return nil
		}
		return columns.Cell(rows.Cell(places[column]))
	}
	text := func(column int) string {
		c := cell(column)
		text, known := texts[string(c)]
		if !known {
			text = string(c)
			if len(texts) < mostTexts {
				texts[text] = text
			}
		}
		return text
	}
	number := func(column int, none int64) int64 {
		c := cell(column)
		if len(c) == 0 || err != nil {
			return none
		}
		if n, short := columns.ShortNumber(c); short { // nearly all
			return n
		}
		n, parseErr := strconv.ParseInt(string(c), 10, 64)
		if parseErr != nil {
			err = fmt.Errorf("column %q: %w", deviceColumns()[column].name, columns.NotANumber(c))
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
