// Package jsonshape checks quickly that a line of JSON fits a Go type, and finds the values of its keys. It accepts only
// what encoding/json decodes into the type without an error, and of that only what encoding/json itself writes: lines
// without white space, with keys in the spelling of the type. About all others it says that it does not know them.
package jsonshape

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
)

// Object is the shape of a struct type.
type Object struct{ shape *shape }

// shape is what a type takes.
type shape struct {
	kind    kind
	digits  int               // most digits of an integer
	signed  bool              // of an integer
	element *shape            // of a list, or of a map
	fields  map[string]*field // of an object
}

// field is a key of an object.
type field struct {
	name  string
	shape *shape
}

type kind uint8

const (
	unknown kind = iota // nothing is accepted
	text
	boolean
	integer
	float
	list
	dictionary
	object
)

// Of returns the shape of a struct type.
func Of[T any]() Object { return Object{shapeOf(reflect.TypeFor[T]())} }

var (
	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func shapeOf(t reflect.Type) *shape {
	if p := reflect.PointerTo(t); p.Implements(unmarshaler) || p.Implements(textUnmarshaler) {
		return &shape{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return shapeOf(t.Elem())
	case reflect.String:
		return &shape{kind: text}
	case reflect.Bool:
		return &shape{kind: boolean}
	case reflect.Int, reflect.Int32: // an int may have 32 bits
		return &shape{kind: integer, digits: 9, signed: true}
	case reflect.Int64:
		return &shape{kind: integer, digits: 18, signed: true}
	case reflect.Uint64:
		return &shape{kind: integer, digits: 18}
	case reflect.Float64:
		return &shape{kind: float}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 { // these are base64
			return &shape{}
		}
		return &shape{kind: list, element: shapeOf(t.Elem())}
	case reflect.Map:
		if t.Key().Kind() != reflect.String || t.Key().Implements(textUnmarshaler) {
			return &shape{}
		}
		return &shape{kind: dictionary, element: shapeOf(t.Elem())}
	case reflect.Struct:
		s := &shape{kind: object, fields: map[string]*field{}}
		s.addFields(t)
		return s
	}
	return &shape{}
}

// addFields adds the fields of a struct, and then those of the structs in it whose fields are its own, which it hides.
// Two structs in it must not have the same key.
func (s *shape) addFields(t reflect.Type) {
	var embedded []reflect.Type
	for i := range t.NumField() {
		f := t.Field(i)
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			embedded = append(embedded, f.Type)
			continue
		case !f.IsExported() || name == "-":
			continue
		case name == "":
			name = f.Name
		}
		if s.fields[name] != nil {
			continue
		}
		s.fields[name] = &field{name, shapeOf(f.Type)}
		if strings.Contains(option, "string") {
			s.fields[name].shape = &shape{}
		}
	}
	for _, inner := range embedded {
		s.addFields(inner)
	}
}

// Scan checks a line, which has no line end, and calls visit with each key and its value as it stands there. It reports
// false if it does not know whether the line fits the shape; visit was called for some keys then.
func (o Object) Scan(line []byte, visit func(key string, value []byte)) bool {
	s := scanner{text: line}
	return s.object(o.shape, visit) && s.at == len(line)
}

// Text returns the text that a value of Scan stands for.
func Text(value []byte) string {
	inner := value[1 : len(value)-1]
	for _, b := range inner {
		if b == '\\' || b >= 0x80 {
			var decoded string
			_ = json.Unmarshal(value, &decoded) // Scan has checked it
			return decoded
		}
	}
	return string(inner)
}
