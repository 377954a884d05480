package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// TTHostZone is a row of tt-metal's tracy_ops_times.csv. Call is the number of the op, ParentCall that of the op it is nested in; -1: none.
type TTHostZone struct {
	Name, SourceFile    string
	SourceLine          int64
	ZoneName, ZoneText  string
	StartNS, DurationNS int64
	Thread              int64
	ParentText          string
	Call, ParentCall    int64
	Line                int
}

type ttHostRow struct {
	Name     string   `csv:"name"`
	File     string   `csv:"src_file"`
	Line     ttNumber `csv:"src_line"`
	ZoneName string   `csv:"zone_name"`
	ZoneText string   `csv:"zone_text"`
	Start    ttNumber `csv:"ns_since_start"`
	Duration ttNumber `csv:"exec_time_ns"`
	Thread   ttNumber `csv:"thread"`
	Parent   string   `csv:"special_parent_text"`
}

// ReadTTOpsTimes reads a tracy_ops_times.csv.
func ReadTTOpsTimes(name string, r io.Reader) ([]TTHostZone, error) {
	zones := []TTHostZone{} // not nil: the table is there
	err := ttTable(name, r, []string{"name", "zone_text", "ns_since_start", "exec_time_ns"}, func(row *ttHostRow, line int) error {
		zones = append(zones, TTHostZone{row.Name, row.File, int64(row.Line), row.ZoneName, row.ZoneText, int64(row.Start), int64(row.Duration), int64(row.Thread), row.Parent,
			ttCallID(row.ZoneText), ttCallID(row.Parent), line})
		return nil
	})
	return zones, err
}

// TTMessage is a message of tt-metal's tracy_ops_data.csv.
type TTMessage struct {
	TimeNS int64
	Kind   string // TT_DNN_DEVICE_OP, TT_DNN_FALL_BACK_OP, TT_SIGNPOST, TT_METAL_TRACE_BEGIN …; empty: none of those
	Text   string // behind the kind
	Op     string // code of the op, "Matmul"; empty: the message is of none
	Call   int64  // number of the op; -1: the message is of no op, or it was cut before the number
	Device int64  // -1: not said
	// CacheHit says whether the program was in the cache; versions that do not say leave CacheKnown false.
	CacheKnown, CacheHit bool
	Repeated             bool // a later call of an op: the attributes came with the first
	// Attributes is the JSON of an op's first call. AttributesLost: it was cut, as Tracy's messages end at 64 KiB.
	Attributes     string
	AttributesLost bool
	Line           int
}

// ReadTTOpsData reads a tracy_ops_data.csv: messages in backticks, over several lines, and their times behind a semicolon.
func ReadTTOpsData(name string, r io.Reader) ([]TTMessage, error) {
	lines := newCSVLines(r)
	header, err := lines.next()
	if err == nil && strings.TrimSpace(header) != "MessageName;total_ns" {
		err = fmt.Errorf("the header is %.100q, expected %q as in tt-metal's tracy_ops_data.csv", header, "MessageName;total_ns")
	}
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("the header is missing; the file is empty or cut")
		}
		return nil, fmt.Errorf("%s:1: %w", name, err)
	}
	messages := []TTMessage{}
	var text bytes.Buffer
	began := 0
	for {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			if began > 0 {
				return messages, fmt.Errorf("%s:%d: a message does not end; the file was cut", name, began)
			}
			return messages, nil
		}
		if err != nil {
			return messages, fmt.Errorf("%s: %w", name, err)
		}
		if began == 0 {
			if line == "" {
				continue
			}
			began = lines.number
		} else {
			text.WriteByte('\n')
		}
		cut := strings.LastIndexByte(line, ';')
		quoted := text.Len() > 0 && text.Bytes()[0] == '`' || text.Len() == 0 && strings.HasPrefix(line, "`")
		if cut < 0 || !onlyDigits(line[cut+1:]) || quoted && !strings.HasSuffix(line[:cut], "`") {
			text.WriteString(line)
			if text.Len() > csvMaxRecord {
				return messages, fmt.Errorf("%s:%d: a message does not end within %d MiB", name, began, csvMaxRecord>>20)
			}
			continue
		}
		text.WriteString(line[:cut])
		at, err := strconv.ParseInt(line[cut+1:], 10, 64)
		if err != nil {
			return messages, fmt.Errorf("%s:%d: %w", name, lines.number, err)
		}
		messages = append(messages, ttMessage(text.String(), at, began))
		text.Reset()
		began = 0
	}
}

func ttMessage(text string, at int64, line int) TTMessage {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "`"), "`")
	m := TTMessage{TimeNS: at, Text: text, Call: -1, Device: -1, Line: line}
	kind, rest, found := strings.Cut(text, ":")
	if !found || !strings.HasPrefix(kind, "TT_") || strings.ContainsAny(kind, " \n") {
		return m
	}
	m.Kind, m.Text = kind, strings.TrimSpace(rest)
	if !strings.HasPrefix(kind, "TT_DNN_") {
		return m
	}
	head, attributes, first := strings.Cut(m.Text, "->")
	if _, quoted, found := strings.Cut(head, `"`); found {
		if op, after, closed := strings.Cut(quoted, `"`); closed { // a name with commas in it must not move the fields
			m.Op, head = op, after
		}
	}
	// Behind the name: hash, device, in newer versions whether the program was in the cache, call. Ops of the host have nothing there.
	if fields := strings.Split(head, ","); kind == "TT_DNN_DEVICE_OP" && len(fields) >= 4 {
		m.Call = ttNumberOr(fields[len(fields)-1], -1)
		m.Device = ttNumberOr(fields[2], -1)
		if len(fields) >= 5 {
			hit, err := strconv.ParseBool(strings.TrimSpace(fields[3]))
			m.CacheKnown, m.CacheHit = err == nil, hit
		}
	}
	m.Repeated = !first
	m.Attributes = strings.TrimSpace(attributes)
	m.AttributesLost = first && !balanced(m.Attributes)
	if _, behind, found := strings.Cut(m.Attributes, `"global_call_count":`); found && m.Call < 0 {
		behind = strings.TrimSpace(behind)
		m.Call = ttNumberOr(behind[:len(behind)-len(strings.TrimLeft(behind, "0123456789"))], -1)
	}
	return m
}

// ttNumberOr is the number that a field holds, else none.
func ttNumberOr(field string, none int64) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(field), 10, 64)
	if err != nil {
		return none
	}
	return n
}

// balanced says whether a JSON object ends: the newest tt-metal writes more than JSON into it, so that only its braces are looked at.
func balanced(s string) bool {
	depth, inside := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case inside && c == '\\':
			i++
		case c == '"':
			inside = !inside
		case inside:
		case c == '{':
			depth++
		case c == '}':
			depth--
		}
	}
	return depth == 0 && !inside && strings.HasPrefix(s, "{")
}
