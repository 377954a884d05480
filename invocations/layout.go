package invocations

// wire is one direction of the encoding: an encoder that reads what the pointers point to, or a decoder that sets it. Every struct has one
// layout function, which runs in both directions and is the definition of its encoding:
//
//   - A message is an array: kind, id of the invocation (empty for Hello and Goodbye), then the fields in the order of layout.
//   - A nested struct is an array of its fields; an absent one is nil.
//   - A list is an array, a map is a map with sorted keys; nil stays nil. Timings are one binary field, see timings.go.
//   - Fields are only ever appended. A decoder skips elements beyond the fields that it knows and refuses an array with fewer.
//
// After the first error every method does nothing.
type wire interface {
	// message begins a message of n elements, kind included.
	message(k Kind, n int) span
	// open begins a nested struct of n fields.
	open(name string, n int) span
	// openList begins a list. An encoder is given its length, -1 for nil, and returns it; a decoder returns what it read. No element
	// takes fewer than least bytes.
	openList(name string, n, least int) (span, int)
	// close ends what message, open or openList began.
	close(outer span)
	// present says whether an optional struct follows.
	present(there bool) bool
	// decoding says whether the pointers are set.
	decoding() bool
	// ok says whether no error has happened.
	ok() bool

	id(p *string)
	text(p *string)
	word(p *string) // a text that recurs in most messages
	flag(p *bool)
	int(p *int)
	int64(p *int64)
	uint(p *uint)
	uint64(p *uint64)
	float64(p *float64)
	textMap(name string, p *map[string]string)
	timings(p *[]float64)
}

// span is a position in an array that is being encoded or decoded.
type span struct {
	name  string
	index int // of the next element
	left  int // elements that follow
}

// firstAllocation bounds how many elements of a list are allocated before any of them was decoded.
const firstAllocation = 256

// list lays out a list whose elements take at least least bytes each.
func list[T any](w wire, name string, least int, xs *[]T, element func(wire, *T)) {
	n := len(*xs)
	if *xs == nil {
		n = -1
	}
	outer, n := w.openList(name, n, least)
	if w.decoding() {
		*xs = nil
		if n >= 0 {
			*xs = make([]T, 0, min(n, firstAllocation))
		}
		for i := 0; i < n && w.ok(); i++ {
			*xs = append(*xs, *new(T))
			element(w, &(*xs)[i])
		}
	} else {
		for i := range *xs {
			element(w, &(*xs)[i])
		}
	}
	w.close(outer)
}

func texts(w wire, name string, xs *[]string) { list(w, name, 1, xs, wire.text) }
func words(w wire, name string, xs *[]string) { list(w, name, 1, xs, wire.word) }
func sizes(w wire, name string, xs *[]int64)  { list(w, name, 1, xs, wire.int64) }

func (m *Hello) layout(w wire) {
	outer := w.message(KindHello, 9)
	w.id(new(string))
	// These two stay where they are for ever: a Hello of another protocol is read up to here, so that Check can say what is wrong.
	w.uint(&m.Protocol)
	w.text(&m.Build)
	if !w.decoding() || m.Protocol == Protocol {
		words(w, "Hello.Runtimes", &m.Runtimes)
		w.int(&m.PID)
		words(w, "Hello.Layers", &m.Layers)
		w.textMap("Hello.MissingLayers", &m.MissingLayers)
		w.textMap("Hello.Environment", &m.Environment)
	}
	w.close(outer)
}

func (m *Describe) layout(w wire) {
	outer := w.message(KindDescribe, 7)
	w.id(&m.ID)
	w.word(&m.Runtime)
	w.text(&m.Path)
	w.textMap("Describe.Parameters", &m.Parameters)
	w.textMap("Describe.Options", &m.Options)
	w.text(&m.Cache)
	w.close(outer)
}

func (m *Described) layout(w wire) {
	outer := w.message(KindDescribed, 4)
	w.id(&m.ID)
	w.text(&m.Error)
	list(w, "Described.Descriptions", descriptionBytes, &m.Descriptions, layoutDescription)
	w.close(outer)
}

func (m *Build) layout(w wire) {
	outer := w.message(KindBuild, 5)
	w.id(&m.ID)
	w.word(&m.Runtime)
	layoutArtifact(w, &m.Artifact)
	w.text(&m.Cache)
	w.close(outer)
}

func (m *Built) layout(w wire) {
	outer := w.message(KindBuilt, 4)
	w.id(&m.ID)
	w.text(&m.Error)
	w.text(&m.Path)
	w.close(outer)
}

func (m *Started) layout(w wire) {
	outer := w.message(KindStarted, 3)
	w.id(&m.ID)
	w.word(&m.Phase)
	w.close(outer)
}

func (m *Goodbye) layout(w wire) {
	outer := w.message(KindGoodbye, 3)
	w.id(new(string))
	w.text(&m.Reason)
	w.close(outer)
}
