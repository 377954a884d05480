package ttmetal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"zonemark/trace/csvtext"
	"zonemark/trace/ttmetal/columns"
)

// HostZone is a row of tt-metal's tracy_ops_times.csv. Call is the number of the op, ParentCall that of the op it is
// nested in; -1: none.
type HostZone struct {
	Name, SourceFile    string
	SourceLine          int64
	ZoneName, ZoneText  string
	StartNS, DurationNS int64
	Thread              int64
	ParentText          string
	Call, ParentCall    int64
	Line                int
}

// ReadOpsTimes reads a tracy_ops_times.csv; the name stands for it in errors. With an error come the rows before it.
func ReadOpsTimes(name string, r io.Reader) ([]HostZone, error) {
	list := []columns.Column[HostZone]{
		columns.Text("name", true, func(z *HostZone) *string { return &z.Name }),
		columns.Text("src_file", false, func(z *HostZone) *string { return &z.SourceFile }),
		columns.Whole("src_line", false, func(z *HostZone) *int64 { return &z.SourceLine }),
		columns.Text("zone_name", false, func(z *HostZone) *string { return &z.ZoneName }),
		columns.Text("zone_text", true, func(z *HostZone) *string { return &z.ZoneText }),
		columns.Whole("ns_since_start", true, func(z *HostZone) *int64 { return &z.StartNS }),
		columns.Whole("exec_time_ns", true, func(z *HostZone) *int64 { return &z.DurationNS }),
		columns.Whole("thread", false, func(z *HostZone) *int64 { return &z.Thread }),
		columns.Text("special_parent_text", false, func(z *HostZone) *string { return &z.ParentText }),
	}
	return columns.Read(name, r, list, HostZone{}, func(z *HostZone, line int) {
		z.Call, z.ParentCall, z.Line = callID(z.ZoneText), callID(z.ParentText), line
	})
}

// Message is a message of tt-metal's tracy_ops_data.csv.
type Message struct {
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

// ReadOpsData reads a tracy_ops_data.csv: messages in backticks, over several lines, and their times behind a
// semicolon.
func ReadOpsData(name string, r io.Reader) ([]Message, error) {
	lines := csvtext.NewLines(r)
	header, err := lines.Next()
	if err == nil && strings.TrimSpace(header) != "MessageName;total_ns" {
		err = fmt.Errorf("the header is %.100q, expected %q as in tt-metal's tracy_ops_data.csv", header,
			"MessageName;total_ns")
	}
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("the header is missing; the file is empty or cut")
		}
		return nil, fmt.Errorf("%s:1: %w", name, err)
	}
	messages := []Message{}
	var text bytes.Buffer
	began := 0
	for {
		line, err := lines.Next()
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
			began = lines.Number
		} else {
			text.WriteByte('\n')
		}
		cut := strings.LastIndexByte(line, ';')
		quoted := text.Len() > 0 && text.Bytes()[0] == '`' || text.Len() == 0 && strings.HasPrefix(line, "`")
		if cut < 0 || !csvtext.OnlyDigits(line[cut+1:]) || quoted && !strings.HasSuffix(line[:cut], "`") {
			text.WriteString(line)
			if text.Len() > csvtext.MaxRecord {
				return messages, fmt.Errorf("%s:%d: a message does not end within %d MiB",
					name, began, csvtext.MaxRecord>>20)
			}
			continue
		}
		text.WriteString(line[:cut])
		at, err := strconv.ParseInt(line[cut+1:], 10, 64)
		if err != nil {
			return messages, fmt.Errorf("%s:%d: %w", name, lines.Number, err)
		}
		messages = append(messages, parseMessage(text.String(), at, began))
		text.Reset()
		began = 0
	}
}

func parseMessage(text string, at int64, line int) Message {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "`"), "`")
	m := Message{TimeNS: at, Text: text, Call: -1, Device: -1, Line: line}
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
	// Behind the name: hash, device, in newer versions whether the program was in the cache, call. Ops of the host have
	// nothing there.
	if fields := strings.Split(head, ","); kind == "TT_DNN_DEVICE_OP" && len(fields) >= 4 {
		m.Call = numberOr(fields[len(fields)-1], -1)
		m.Device = numberOr(fields[2], -1)
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
		m.Call = numberOr(behind[:len(behind)-len(strings.TrimLeft(behind, "0123456789"))], -1)
	}
	return m
}

// numberOr is the number that a field holds, else none.
func numberOr(field string, none int64) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(field), 10, 64)
	if err != nil {
		return none
	}
	return n
}

// balanced says whether a JSON object ends: the newest tt-metal writes more than JSON into it, so that only its braces
// are looked at.
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

// callID finds the number behind "id:" in the text of a zone of tt-metal; -1: there is none.
func callID(text string) int64 {
	_, rest, found := strings.Cut(text, "id:")
	if !found {
		return -1
	}
	end := 0
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(rest[:end], 10, 64)
	if err != nil {
		return -1
	}
	return n
}
