package tracycsv

import (
	"io"
	"slices"
	"strings"

	"zonemark/trace/csvtext"
)

// csvMaxExtra is how many separators in excess a row may have to be repaired.
const maxExtra = 24

// csvColumn is a column of a table that is read.
type readColumn struct {
	name  string
	check func(string) bool // nil: text
}

// csvRecords splits a table into records of as many fields as it has columns. tracy-csvexport does not quote: what
// follows from that is repaired where only one reading makes sense, dropped where none or several do, and counted.
type recordReader struct {
	lines     *csvtext.Lines
	separator string
	columns   []readColumn
	repairs   bool  // the dialect is one that may need it
	tail      bool  // a line that is no record goes on with the last field of the record before
	head      bool  // a line that is no record is the beginning of the first field of the next
	absorbers []int // the column of each run of text columns that takes separators in excess
	special   func([]string) bool

	held     []string // the record that may go on
	more     []string // the lines it goes on with
	size     int
	began    []string
	noQuotes int // lines before this one are not looked at for fields of several lines again
	repaired int
	dropped  int
}

// prepare finds the runs of text columns.
func (r *recordReader) prepare() {
	for i, c := range r.columns {
		if c.check != nil {
			continue
		}
		if i == 0 || r.columns[i-1].check != nil {
			r.absorbers = append(r.absorbers, i)
		} else if c.name == "zone_text" {
			r.absorbers[len(r.absorbers)-1] = i
		}
	}
	r.repairs = r.repairs && len(r.absorbers) <= 3
}

// next returns the next record, io.EOF after the last.
func (r *recordReader) next() ([]string, error) {
	for {
		line, err := r.lines.Next()
		if err != nil && err != io.EOF {
			return nil, err
		}
		if err == io.EOF {
			r.dropped += len(r.began)
			r.began = nil
			for len(r.more) > 0 && r.more[len(r.more)-1] == "" {
				r.more = r.more[:len(r.more)-1]
			}
			if record := r.release(); record != nil {
				return record, nil
			}
			return nil, io.EOF
		}
		record := r.record(line)
		if record == nil {
			r.loose(line)
			continue
		}
		if len(r.began) > 0 {
			record[0] = strings.Join(append(r.began, record[0]), "\n")
			r.began, r.size = nil, 0
			r.repaired++
		}
		if !r.tail {
			return record, nil
		}
		before := r.release()
		r.held = record
		if before != nil {
			return before, nil
		}
	}
}

// release completes the record that is held.
func (r *recordReader) release() []string {
	record := r.held
	if len(r.more) > 0 {
		last := len(record) - 1
		record[last] = strings.Join(append([]string{record[last]}, r.more...), "\n")
		r.repaired++
	}
	r.held, r.more, r.size = nil, nil, 0
	return record
}

// loose places a line that is no record.
func (r *recordReader) loose(line string) {
	r.size += len(line) + 1
	switch {
	case r.size <= csvtext.MaxRecord && r.tail && r.held != nil:
		r.more = append(r.more, line)
	case r.size <= csvtext.MaxRecord && r.head:
		r.began = append(r.began, line)
	case line != "":
		r.dropped++
	}
}

// record reads a line, and those it goes on with, as a record; nil: it is none.
func (r *recordReader) record(line string) []string {
	fields, quoted := strings.Split(line, r.separator), strings.Contains(line, `"`)
	if quoted {
		if strict := r.strict(line); strict != nil {
			return strict
		}
	} else if r.fits(fields) {
		return fields
	}
	if !r.repairs || len(fields) < len(r.columns) || len(fields) > len(r.columns)+maxExtra {
		return nil
	}
	var found []string
	count := 0
	r.arrange(fields, nil, 0, &count, &found)
	if count != 1 {
		return nil
	}
	r.repaired++
	return found
}

// fits says whether the fields are what the columns hold.
func (r *recordReader) fits(fields []string) bool {
	if len(fields) != len(r.columns) {
		return false
	}
	if r.special != nil && r.special(fields) {
		return true
	}
	for i, c := range r.columns {
		if c.check != nil && !c.check(fields[i]) {
			return false
		}
	}
	return true
}

// arrange tries all ways to give the separators in excess to the columns of text.
func (r *recordReader) arrange(fields, record []string, column int, count *int, found *[]string) {
	extra := len(fields) - (len(r.columns) - column)
	if column == len(r.columns) {
		if extra == 0 {
			*count++
			*found = slices.Clone(record)
		}
		return
	}
	c := r.columns[column]
	most := 0
	if slices.Contains(r.absorbers, column) {
		most = extra
	}
	if c.check != nil && !c.check(fields[0]) || c.name == "src_file" && csvtext.OnlyDigits(fields[0]) {
		return
	}
	for take := 0; take <= most && *count < 2; take++ {
		value := strings.Join(fields[:take+1], r.separator)
		if c.name == "zone_text" && len(value) > 1 && value[0] == '"' && value[len(value)-1] == '"' {
			value = value[1 : len(value)-1] // Tenstorrent's fork puts quotes around it, and escapes none inside
		}
		r.arrange(fields[take+1:], append(record, value), column+1, count, found)
	}
}

// strict reads a record by RFC 4180. It returns nil if the line is none; the lines behind it are then left to be read.
func (r *recordReader) strict(line string) []string {
	p := quotedParser{reader: r, rest: line}
	if p.parse() && r.fits(p.fields) {
		return p.fields
	}
	if len(p.used) > 0 {
		r.noQuotes = r.lines.Number
		r.lines.Back(p.used)
	}
	return nil
}

// quotedParser takes a record apart whose fields may be quoted and go on over several lines.
type quotedParser struct {
	reader *recordReader
	fields []string
	rest   string   // of the line that is being read
	used   []string // the lines that were read behind the first
	size   int      // of those
}

// parse reads all fields. It returns false if the line is no record.
func (p *quotedParser) parse() bool {
	for {
		if !strings.HasPrefix(p.rest, `"`) {
			field, after, more := strings.Cut(p.rest, p.reader.separator)
			if strings.Contains(field, `"`) {
				return false
			}
			p.fields = append(p.fields, field)
			if p.rest = after; !more {
				return true
			}
			continue
		}
		if !p.quoted() {
			return false
		}
		if p.rest == "" {
			return true
		}
		if !strings.HasPrefix(p.rest, p.reader.separator) || len(p.fields) > len(p.reader.columns) {
			return false
		}
		p.rest = p.rest[len(p.reader.separator):]
	}
}

// quoted reads one quoted field, to the quote that ends it.
func (p *quotedParser) quoted() bool {
	var field strings.Builder
	p.rest = p.rest[1:]
	for {
		part, after, closed := strings.Cut(p.rest, `"`)
		field.WriteString(part)
		switch {
		case closed && strings.HasPrefix(after, `"`):
			field.WriteByte('"')
			p.rest = after[1:]
		case closed:
			p.rest = after
			p.fields = append(p.fields, field.String())
			return true
		default:
			if !p.nextLine() {
				return false
			}
			field.WriteByte('\n')
		}
	}
}

// nextLine goes on with the next line of a field.
func (p *quotedParser) nextLine() bool {
	r := p.reader
	if r.lines.Number < r.noQuotes || p.size >= csvtext.MaxRecord {
		return false
	}
	next, err := r.lines.Next()
	if err != nil {
		return false
	}
	p.used, p.rest = append(p.used, next), next
	p.size += len(next) + 1
	return true
}
