// Package packed keeps many values that have much in common in little memory. It knows nothing of what they mean.
package packed

import (
	"iter"
	"reflect"
)

// List is a list of values of a struct type. Of each value it keeps only the fields that differ from a similar value,
// its model. The fields must be exported, and made of texts, numbers, booleans, structs, pointers, lists and maps with
// texts as keys. The values that a list returns share lists and maps, so nobody may change the elements of these.
// Only one goroutine at a time may use a list, also to read it.
type List[T any] struct {
	items  []item
	pages  [][]byte // of the written values
	models []T
	usual  []int // bytes in which values usually differ from each model; 0: not known yet
	sizes  int   // of the models, as written
	set    int   // values so far
	latest int   // the model of the item that was added last
	coder  coder
}

// item tells where the bytes of a value are.
type item struct{ page, offset, model uint32 }

const (
	// mostModels limits how many models there are, mostModelBytes how large they are, and triedModels for how many of
	// them a value is tried.
	mostModels     = 1 << 12
	mostModelBytes = 4 << 20
	triedModels    = 8
	// A model is good enough for a value that differs from it in at most 1/usualPart more bytes than usual. Each
	// searched-th value looks for the best model in any case, so that what is usual stays small.
	usualPart = 6
	searched  = 32
	pageBytes = 256 << 10
)

// Len returns the length of the list.
func (l *List[T]) Len() int { return len(l.items) }

// At returns a copy of the value in place i.
func (l *List[T]) At(i int) *T {
	value := new(T)
	l.read(i, value)
	return value
}

func (l *List[T]) read(i int, value *T) {
	at := l.items[i]
	*value = l.models[at.model]
	l.coder.rest = l.pages[at.page][at.offset:]
	l.coder.readFields(reflect.ValueOf(value).Elem())
}

// All iterates over copies of the values, each of which is valid until the next one.
func (l *List[T]) All() iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		var value T
		for i := range l.items {
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

// Set puts a value in place i. The memory of the value that was there before is not freed.
func (l *List[T]) Set(i int, value *T) {
	v := reflect.ValueOf(value).Elem()
	l.coder.written = l.coder.written[:0]
	model := l.model(v)
	l.items[i] = l.keep(l.coder.written)
	l.items[i].model = uint32(model)
}

// keep keeps the bytes of a value and tells where they are.
func (l *List[T]) keep(value []byte) item {
	last := len(l.pages) - 1
	if last < 0 || cap(l.pages[last])-len(l.pages[last]) < len(value) {
		size := min(pageBytes, 1<<10<<min(len(l.pages), 10)) // short lists have small pages
		l.pages = append(l.pages, make([]byte, 0, max(len(value), size)))
		last++
	}
	at := item{page: uint32(last), offset: uint32(len(l.pages[last]))}
	l.pages[last] = append(l.pages[last], value...)
	return at
}

// Compact removes the values that drop tells to remove. Each is valid until the next one.
func (l *List[T]) Compact(drop func(*T) bool) {
	kept := l.items[:0]
	for i, value := range l.All() {
		if at := l.items[i]; !drop(value) {
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
		c.fields(v, reflect.ValueOf(&l.models[tried]).Elem())
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
	c.fields(v, reflect.ValueOf(&zero).Elem())
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
	c.fields(v, reflect.ValueOf(&l.models[model]).Elem())
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
