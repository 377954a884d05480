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
// Only one goroutine at a time may use a list, also to read it.
type List[T any] struct {
	items  []item
	pages  [][]byte
	models []T
	latest int // the model of the item that was added last
	coder  coder
}

// item tells where the bytes of a value are. The zero item has no value.
type item struct {
	page, offset uint32
	model        uint32 // the position in models, from 1
}

const (
	pageBytes = 256 << 10
	// mostModels limits how many models there are, and triedModels for how many of them a value is tried.
	mostModels  = 1 << 12
	triedModels = 8
	// goodPart is the part of a value, in bytes, that may differ from a good model, as 1/goodPart. What differs more from
	// all tried models than a half becomes a model.
	goodPart = 3
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
	l.coder.rest = l.pages[at.page][at.offset:]
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
	last := len(l.pages) - 1
	if last < 0 || cap(l.pages[last])-len(l.pages[last]) < len(l.coder.written) {
		l.pages = append(l.pages, make([]byte, 0, max(len(l.coder.written), l.pageSize())))
		last++
	}
	l.items[i] = item{uint32(last), uint32(len(l.pages[last])), uint32(model + 1)}
	l.pages[last] = append(l.pages[last], l.coder.written...)
}

// pageSize returns the size of the next page: short lists have small ones.
func (l *List[T]) pageSize() int { return min(pageBytes, 1<<10<<min(len(l.pages), 10)) }

// Reordered returns a list of n places. Place i has the value of place from(i), none if that is negative. The lists
// share memory, and nobody may add to this one afterwards.
func (l *List[T]) Reordered(n int, from func(i int) int) List[T] {
	out := List[T]{items: make([]item, n), pages: l.pages, models: l.models, latest: l.latest}
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

// model writes the fields that differ from the best model, and returns the position of the model.
func (l *List[T]) model(v reflect.Value) int {
	var zero T
	c := &l.coder
	c.writeStruct(v, reflect.ValueOf(&zero).Elem())
	whole, best, model := len(c.written), -1, -1
	for k := range min(triedModels, len(l.models)) {
		tried := l.latest - k
		if tried < 0 {
			tried += len(l.models)
		}
		begin := len(c.written)
		c.writeStruct(v, reflect.ValueOf(&l.models[tried]).Elem())
		if size := len(c.written) - begin; best < 0 || size < best {
			best, model = size, tried
			c.written = append(c.written[:0], c.written[begin:]...)
		} else {
			c.written = c.written[:begin]
		}
		if best*goodPart < whole {
			break
		}
	}
	if model < 0 || best > whole/2 && len(l.models) < mostModels {
		model = len(l.models)
		l.models = append(l.models, clipped(v).Interface().(T))
		c.written = c.written[:0]
		c.writeStruct(v, reflect.ValueOf(&l.models[model]).Elem())
	}
	l.latest = model
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
