// Package packed keeps many values that have much in common in little memory. It knows nothing of what they mean.
package packed

import (
	"iter"
	"reflect"
	"slices"
)

// List is a list of values of a struct type. Of each value it keeps only the fields that differ from a similar value,
// its model. The fields must be exported, and made of texts, numbers, booleans, structs, pointers, lists and maps with
// texts as keys. The values that a list returns share lists and maps, so nobody may change the elements of these.
// Only one goroutine at a time may use a list, also to read it. The values of a very long list are in a temporary file
// without a name, where the system has such.
type List[T any] struct {
	items  []item
	pages  *pages
	models []T
	usual  []int // bytes in which values usually differ from each model; 0: not known yet
	sizes  int   // of the models, as written
	set    int   // values so far
	latest int   // the model of the item that was added last
	coder  coder
	buffer []byte // of a value from the file
}

// item tells where the bytes of a value are. The zero item has no value.
type item struct {
	page, offset, length uint32
	model                uint32 // the position in models, from 1
}

const (
	// mostModels limits how many models there are, and triedModels for how many of them a value is tried.
	mostModels  = 1 << 12
	triedModels = 8
	// A value that differs from a model in more bytes than largeValue is mostly lists that no model has, such as samples.
	// It is tried for the latest model only, since each try writes them. mostModelBytes limits the memory of such models.
	largeValue     = 2 << 10
	mostModelBytes = 4 << 20
	// A model is good enough for a value that differs from it in at most 1/usualPart more bytes than usual. Each
	// searched-th value looks for the best model in any case, so that what is usual stays small.
	usualPart = 6
	searched  = 32
)

// Len returns the length of the list, with the places that have no value.
func (l *List[T]) Len() int { return len(l.items) }

// Resize makes the list have n places. New ones have no value.
func (l *List[T]) Resize(n int) {
	l.items = slices.Grow(l.items, max(0, n-len(l.items)))
	for len(l.items) < n {
		l.items = append(l.items, item{})
	}
	l.items = l.items[:n]
}

// Has reports whether place i has a value.
func (l *List[T]) Has(i int) bool { return l.items[i].model != 0 }

// At returns a copy of the value in place i. It is the zero value if there is none.
func (l *List[T]) At(i int) *T {
	value := new(T)
	if l.Has(i) {
		l.read(i, value)
	}
	return value
}

// read reads the value in place i, which has one.
func (l *List[T]) read(i int, value *T) {
	at := l.items[i]
	*value = l.models[at.model-1]
	l.coder.rest, l.buffer = l.pages.read(at.page, at.offset, at.length, l.buffer)
	l.coder.readStruct(reflect.ValueOf(value).Elem())
}

// All iterates over copies of the values, each of which is valid until the next one. It leaves out the places that have
// none.
func (l *List[T]) All() iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		var value T
		for i := range l.items {
			if !l.Has(i) {
				continue
			}
			if l.read(i, &value); !yield(i, &value) {
				return
			}
		}
	}
}

// Add appends a value.
func (l *List[T]) Add(value *T) {
	l.items = append(l.items, item{})
	l.Set(len(l.items)-1, value)
}

// Set puts a value in place i. The memory of a value that was there before is not freed.
func (l *List[T]) Set(i int, value *T) {
	v := reflect.ValueOf(value).Elem()
	l.coder.written = l.coder.written[:0]
	model := l.model(v)
	if l.pages == nil {
		l.pages = &pages{most: mostMemory}
	}
	page, offset := l.pages.add(l.coder.written)
	l.items[i] = item{page, offset, uint32(len(l.coder.written)), uint32(model + 1)}
}

// Reordered returns a list of n places. Place i has the value of place from(i), none if that is negative. The lists
// share memory, and nobody may add to this one afterwards.
func (l *List[T]) Reordered(n int, from func(i int) int) List[T] {
	out := List[T]{items: make([]item, n), pages: l.pages, models: l.models, usual: l.usual, sizes: l.sizes,
		latest: l.latest}
	for i := range out.items {
		if j := from(i); j >= 0 {
			out.items[i] = l.items[j]
		}
	}
	return out
}

// Compact removes the places that have no value or that drop tells to remove. drop may be nil.
func (l *List[T]) Compact(drop func(*T) bool) {
	kept := l.items[:0]
	for i, at := range l.items {
		if at.model != 0 && (drop == nil || !drop(l.At(i))) {
			kept = append(kept, at)
		}
	}
	l.items = kept
}

// model writes the fields that differ from the best model, or from one that is good enough, and returns the position of
// the model. What differs more than a half of the value from all tried models becomes a model.
func (l *List[T]) model(v reflect.Value) int {
	c := &l.coder
	l.set++
	best, model := -1, -1
	for k := range min(triedModels, len(l.models)) {
		tried := l.latest - k
		if tried < 0 {
			tried += len(l.models)
		}
		begin := len(c.written)
		c.writeStruct(v, reflect.ValueOf(&l.models[tried]).Elem())
		size := len(c.written) - begin
		if best < 0 || size < best {
			best, model = size, tried
			c.written = append(c.written[:0], c.written[begin:]...)
		} else {
			c.written = c.written[:begin]
		}
		if l.set%searched != 0 && size <= l.usual[tried]+l.usual[tried]/usualPart {
			l.latest = model
			return model
		}
		if size > largeValue {
			break
		}
	}
	l.latest = l.chosen(v, model, best)
	return l.latest
}

// chosen returns the position of the best of the tried models, whose differences are written, or of a new model if that
// one is bad.
func (l *List[T]) chosen(v reflect.Value, model, best int) int {
	var zero T
	c := &l.coder
	begin := len(c.written)
	c.writeStruct(v, reflect.ValueOf(&zero).Elem())
	whole := len(c.written) - begin
	c.written = c.written[:begin]
	if model >= 0 && (best <= whole/2 || len(l.models) >= mostModels || l.sizes >= mostModelBytes) {
		l.usual[model] = best
		return model
	}
	model = len(l.models)
	l.sizes += whole
	l.models, l.usual = append(l.models, clipped(v).Interface().(T)), append(l.usual, 0)
	c.written = c.written[:0]
	c.writeStruct(v, reflect.ValueOf(&l.models[model]).Elem())
	return model
}

// clipped returns a copy of a struct whose lists cannot grow in place, since values share them.
func clipped(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	for i := range out.NumField() {
		switch f := out.Field(i); f.Kind() {
		case reflect.Slice:
			f.Set(f.Slice3(0, f.Len(), f.Len()))
		case reflect.Struct:
			f.Set(clipped(f))
		}
	}
	return out
}
