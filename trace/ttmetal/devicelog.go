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

// cyclesColumn has the times.
const cyclesColumn = "time[cycles since reset]"

// deviceTable says how the device's log is read. Other columns come and go with versions.
func deviceTable(name string) *columns.Table[timeStamp] {
	const linesBefore = 1
	texts := map[string]string{} // a few dozen
	return &columns.Table[timeStamp]{
		Name: name, Before: linesBefore, Whole: true, Empty: timeStamp{key: runKey{trace: -1, counter: -1}},
		Columns: []columns.Column[timeStamp]{
			columns.Whole("PCIe slot", false, func(m *timeStamp) *int64 { return &m.place.device }),
			columns.Whole("core_x", true, func(m *timeStamp) *int64 { return &m.place.x }),
			columns.Whole("core_y", true, func(m *timeStamp) *int64 { return &m.place.y }),
			columns.Shared(texts, "RISC processor type", true, func(m *timeStamp) *string { return &m.place.risc }),
			columns.Whole(cyclesColumn, true, func(m *timeStamp) *int64 { return &m.cycles }),
			columns.Whole("run host ID", true, func(m *timeStamp) *int64 { return &m.key.call }),
			columns.Whole("trace id", false, func(m *timeStamp) *int64 { return &m.key.trace }),
			columns.Whole("trace id counter", false, func(m *timeStamp) *int64 { return &m.key.counter }),
			columns.Shared(texts, "zone name", true, func(m *timeStamp) *string { return &m.zone }),
			columns.Shared(texts, "type", true, func(m *timeStamp) *string { return &m.kind }),
		},
	}
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
	var m timeStamp
	err := deviceTable(name).Each(csvtext.NewRows(in), func() *timeStamp { return &m }, func(m *timeStamp, _ int) error {
		log.Rows++
		return b.add(m)
	})
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
