package trace

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// TTDeviceLog is tt-metal's profile_log_device.csv.
type TTDeviceLog struct {
	Arch     string
	ChipMHz  float64
	MaxCores int // compute cores; 0: not said
	Events   []TTDeviceEvent
}

// TTDeviceEvent is one time stamp of one RISC processor of one core. RunID is the number of the op, as in the tables of the host.
type TTDeviceEvent struct {
	PCIeSlot, CoreX, CoreY int64
	RISC                   string // BRISC, NCRISC, TRISC_0 …
	TimerID                int64
	Cycles                 int64 // since reset
	Data                   string
	RunID                  int64
	TraceID                int64 // -1: not in a trace
	TraceCounter           int64 // which replay; -1: not in a trace
	Zone                   string
	Type                   string // ZONE_START, ZONE_END, ZONE_TOTAL, TS_DATA …
	SourceFile             string
	SourceLine             int64
	MetaData               string
	Other                  map[string]string // further columns
	Line                   int               // in the file
}

// NS converts cycles of the log's chip to ns.
func (l *TTDeviceLog) NS(cycles int64) float64 { return float64(cycles) / l.ChipMHz * 1000 }

// ttDeviceRow holds the columns by name, as they differ from version to version.
type ttDeviceRow struct {
	Slot     ttNumber `csv:"PCIe slot"`
	X        ttNumber `csv:"core_x"`
	Y        ttNumber `csv:"core_y"`
	RISC     string   `csv:"RISC processor type"`
	Timer    ttNumber `csv:"timer_id"`
	Cycles   ttNumber `csv:"time[cycles since reset]"`
	Data     string   `csv:"data"`
	Run      ttNumber `csv:"run host ID"`
	Trace    string   `csv:"trace id"`
	Counter  string   `csv:"trace id counter"`
	Zone     string   `csv:"zone name"`
	Type     string   `csv:"type"`
	Line     ttNumber `csv:"source line"`
	File     string   `csv:"source file"`
	MetaData string   `csv:"meta data"`
}

// ReadTTDeviceLog reads a profile_log_device.csv; the name stands for it in errors.
func ReadTTDeviceLog(name string, r io.Reader) (*TTDeviceLog, error) {
	in := bufio.NewReader(io.LimitReader(r, 1<<40))
	first, err := readShortLine(in)
	if err != nil {
		return nil, fmt.Errorf("%s:1: %w", name, err)
	}
	log := &TTDeviceLog{}
	for _, field := range strings.Split(first, ",") {
		key, value, _ := strings.Cut(field, ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(key) {
		case "ARCH":
			log.Arch = value
		case "CHIP_FREQ[MHz]":
			log.ChipMHz, err = strconv.ParseFloat(value, 64)
		case "Max Compute Cores":
			log.MaxCores, err = strconv.Atoi(value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:1: %s: %w", name, strings.TrimSpace(key), err)
		}
	}
	if log.Arch == "" || !(log.ChipMHz > 0) {
		return nil, fmt.Errorf("%s:1: no ARCH and CHIP_FREQ[MHz]; expected tt-metal's profile_log_device.csv", name)
	}
	required := []string{"core_x", "core_y", "RISC processor type", "time[cycles since reset]", "run host ID", "zone name", "type"}
	err = ttTable(name, in, 1, required, func(row *ttDeviceRow, other map[string]string, line int) error {
		e := TTDeviceEvent{int64(row.Slot), int64(row.X), int64(row.Y), row.RISC, int64(row.Timer), int64(row.Cycles), row.Data, int64(row.Run), -1, -1,
			row.Zone, row.Type, row.File, int64(row.Line), row.MetaData, nil, line + 1}
		for _, field := range []struct {
			text string
			to   *int64
		}{{row.Trace, &e.TraceID}, {row.Counter, &e.TraceCounter}} {
			if field.text == "" {
				continue
			}
			if *field.to, err = strconv.ParseInt(field.text, 10, 64); err != nil {
				return fmt.Errorf("trace id: %w", err)
			}
		}
		e.Other = remove(other, "PCIe slot", "core_x", "core_y", "RISC processor type", "timer_id", "time[cycles since reset]", "data", "run host ID", "trace id",
			"trace id counter", "zone name", "type", "source line", "source file", "meta data")
		log.Events = append(log.Events, e)
		return nil
	})
	return log, err
}

// readShortLine reads a line that must fit the reader's buffer.
func readShortLine(in *bufio.Reader) (string, error) {
	line, err := in.ReadSlice('\n')
	if err != nil && (err != io.EOF || len(line) == 0) {
		return "", fmt.Errorf("the first line cannot be read: %w", err)
	}
	return strings.TrimSpace(string(line)), nil
}
