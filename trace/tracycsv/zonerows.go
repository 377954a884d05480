package tracycsv

import (
	"zonemark/trace"
)

// zoneRows makes rows of zones. Each goroutine has one of its own.
type zoneRows struct {
	*tableForm
	prefixes     locationCache
	columnCount  int
	thread       int32  // zones come thread by thread
	threadFields []byte // its id, index and name, encoded; nil: no row yet
}

func newZoneRows(form *tableForm) *zoneRows {
	return &zoneRows{tableForm: form, prefixes: newLocationCache(form), columnCount: len(form.columns.zones)}
}

// append appends the row of a zone to b, unless the zone is left out.
func (r *zoneRows) append(b []byte, z *trace.RawZone) []byte {
	var text, name string
	var color uint32
	if z.Extra != 0 {
		text, name, color = r.source.Extra(z.Extra)
	}
	p := r.prefixes.of(int(z.Location))
	if r.skips(z, name, p) {
		return b
	}
	switch {
	case r.ours:
		b = r.ourZone(b, z, p, text, name, color)
	case r.options.Dialect == "tt":
		b = r.ttZone(b, z, p, text, name)
	default:
		b = r.exporterZone(b, z, p, text)
	}
	return append(b, '\n')
}

func (r *zoneRows) exporterZone(b []byte, z *trace.RawZone, p *locationFields, text string) []byte {
	b = append(b, p.location...)
	b = r.integer(b, z.StartNS)
	b = r.integer(b, r.time(z))
	if r.columnCount > 5 {
		b = r.integer(b, int64(z.Thread))
	}
	if r.columnCount > 6 {
		b = r.text(b, text)
	}
	return b
}

func (r *zoneRows) ttZone(b []byte, z *trace.RawZone, p *locationFields, text, name string) []byte {
	b = append(b, p.location...)
	b = r.text(b, name)
	b = r.format.appendSeparator(b)
	if text != "" {
		b = appendQuoted(b, text)
	}
	b = r.integer(b, z.StartNS)
	b = r.integer(b, r.time(z))
	b = r.integer(b, int64(z.Thread))
	return r.format.appendSeparator(b)
}

func (r *zoneRows) ourZone(b []byte, z *trace.RawZone, p *locationFields, text, name string, color uint32) []byte {
	if name == "" {
		b = append(b, p.location...)
	} else {
		b = r.format.appendText(b, name)
		b = r.raw(b, p.place)
	}
	b = r.integer(b, z.StartNS)
	b = r.integer(b, r.time(z))
	b = r.raw(b, r.fieldsOfThread(z.Thread))
	b = r.integer(b, int64(z.Depth))
	b = r.integer(b, z.Parent)
	b = r.integer(b, z.Ordinal)
	b = r.text(b, text)
	b = r.format.appendSeparator(b)
	if text != "" {
		if _, value, ok := trace.CutValue(text); ok {
			b = appendUnsigned(b, value)
		}
	}
	b = r.integer(b, z.SelfNS)
	b = r.integer(b, int64(color))
	b = r.text(b, name)
	b = r.raw(b, p.tail)
	b = r.format.appendSeparator(b)
	if z.Unfinished {
		return append(b, '1')
	}
	return append(b, '0')
}

// fieldsOfThread are the id, index and name of a thread.
func (r *zoneRows) fieldsOfThread(index int32) []byte {
	if r.threadFields == nil || r.thread != index {
		thread := r.tableForm.thread(int(index))
		r.thread = index
		r.threadFields = r.format.encoded(func(a *rowAppender) {
			a.unsigned(thread.ID)
			a.integer(int64(index))
			a.text(thread.Name)
		})
	}
	return r.threadFields
}

// integer, text and raw append a separator and a field; that of raw is encoded already.

func (r *zoneRows) integer(b []byte, v int64) []byte {
	return appendInteger(r.format.appendSeparator(b), v)
}

func (r *zoneRows) text(b []byte, s string) []byte {
	return r.format.appendText(r.format.appendSeparator(b), s)
}

func (r *zoneRows) raw(b, fields []byte) []byte {
	return append(r.format.appendSeparator(b), fields...)
}
