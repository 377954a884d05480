package tracy

import (
	"unsafe"

	"zonemark/executor/dl"
)

// Location is where a zone is in the source. Tracy stores at most 32,767 different ones, dynamic ones included, and
// ends the capture at the next. What differs from call to call, above all an invocation's id, belongs into a zone's
// text.
type Location struct {
	Name, Function, File string
	Line, Color          uint32 // Color is 0xRRGGBB, or 0 for Tracy's choice
}

// staticLocation is ___tracy_source_location_data. Tracy keeps its address forever and may read the strings at any
// time.
type staticLocation struct {
	name, function, file uintptr
	line, color          uint32
}

// StaticLocation is a location that the client identifies by its address. The zero value makes zones that do nothing.
type StaticLocation struct{ at uintptr }

// zoneContext is TracyCZoneCtx {uint32_t id; int active;}. Its eight bytes are passed and returned in one register on
// all platforms that zonemark supports.
type zoneContext uint64

// Zone is an open zone of the calling thread. The zero value is a zone that is not recorded; its methods do nothing.
type Zone struct {
	client  *Client
	context zoneContext
}

// Locate makes a static location. It is never freed: make each location once. Locate returns an error if there is no
// memory.
func (c *Client) Locate(l Location) (StaticLocation, error) {
	if c == nil {
		return StaticLocation{}, nil
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	s := staticLocation{line: l.Line, color: l.Color}
	for _, part := range []struct {
		at   *uintptr
		text string
	}{{&s.name, l.Name}, {&s.function, l.Function}, {&s.file, l.File}} {
		p, err := c.memory.string(part.text)
		if err != nil {
			return StaticLocation{}, err
		}
		*part.at = p
	}
	b, err := c.memory.allocate(int(unsafe.Sizeof(s)))
	if err != nil {
		return StaticLocation{}, err
	}
	*(*staticLocation)(unsafe.Pointer(&b[0])) = s
	return StaticLocation{uintptr(unsafe.Pointer(&b[0]))}, nil
}

// Begin opens the bracket around the invocation id: a zone "invocation" with the text "inv=<id>".
func (c *Client) Begin(id string) Zone {
	if c == nil {
		return Zone{}
	}
	z := c.BeginAt(c.invocation)
	z.Text("inv=" + id)
	return z
}

// BeginAt opens a zone at a static location of this client.
func (c *Client) BeginAt(s StaticLocation) Zone {
	if c == nil || s.at == 0 {
		return Zone{}
	}
	return Zone{c, zoneContext(dl.Call(c.begin, s.at, 1))}
}

// BeginDynamic opens a zone and sends its location with it, for locations that are known only when the program runs.
// The strings are copied.
func (c *Client) BeginDynamic(l Location) Zone {
	if c == nil {
		return Zone{}
	}
	file, function, name := cut(l.File, maxPartBytes), cut(l.Function, maxPartBytes), cut(l.Name, maxPartBytes)
	location := dl.Call(c.allocLocation, uintptr(l.Line),
		uintptr(unsafe.Pointer(unsafe.StringData(file))), uintptr(len(file)),
		uintptr(unsafe.Pointer(unsafe.StringData(function))), uintptr(len(function)),
		uintptr(unsafe.Pointer(unsafe.StringData(name))), uintptr(len(name)), uintptr(l.Color))
	return Zone{c, zoneContext(dl.Call(c.beginAlloc, location, 1))}
}

// Text gives the zone a text. A second text does not replace the first: Tracy joins them with a line break.
func (z Zone) Text(text string) { z.describe(text, func(c *Client) uintptr { return c.zoneText }) }

// Name gives this one zone a name of its own.
func (z Zone) Name(name string) { z.describe(name, func(c *Client) uintptr { return c.zoneName }) }

func (z Zone) describe(text string, function func(*Client) uintptr) {
	if z.client == nil || text == "" {
		return
	}
	text = cut(text, MaxTextBytes)
	dl.Call(function(z.client), uintptr(z.context),
		uintptr(unsafe.Pointer(unsafe.StringData(text))), uintptr(len(text)))
}

// Value adds a number, which a capture stores as a last line of the zone's text.
func (z Zone) Value(value uint64) {
	if z.client != nil {
		dl.Call(z.client.zoneValue, uintptr(z.context), uintptr(value))
	}
}

// End closes the zone, on the thread that opened it and after every zone that was opened within it.
func (z Zone) End() {
	if z.client != nil {
		dl.Call(z.client.end, uintptr(z.context))
	}
}
