package invocations

import (
	"maps"
	"reflect"
	"slices"
)

// Share replaces texts, lists and maps of r by those of another record where they are equal, so that many records of one
// run take less memory. It does nothing if other is nil. The records then share memory.
func (r *Record) Share(other *Record) {
	if other == nil {
		return
	}
	for _, t := range []struct{ mine, its *string }{
		{&r.Kind, &other.Kind}, {&r.Group, &other.Group}, {&r.Runtime, &other.Runtime}, {&r.Artifact, &other.Artifact},
		{&r.SHA256, &other.SHA256}, {&r.Function, &other.Function}, {&r.Error, &other.Error}, {&r.Clock, &other.Clock},
		{(*string)(&r.Status), (*string)(&other.Status)}, {(*string)(&r.Mode), (*string)(&other.Mode)},
		{(*string)(&r.Stop), (*string)(&other.Stop)},
	} {
		if *t.mine == *t.its {
			*t.mine = *t.its
		}
	}
	for _, m := range []struct{ mine, its *map[string]string }{
		{&r.Options, &other.Options}, {&r.Parameters, &other.Parameters}, {&r.Properties, &other.Properties},
	} {
		if maps.Equal(*m.mine, *m.its) && (*m.mine == nil) == (*m.its == nil) {
			*m.mine = *m.its
		}
	}
	shareList(&r.Notes, other.Notes)
	shareList(&r.Layers, other.Layers)
	shareList(&r.Verdicts, other.Verdicts)
	if len(r.Arguments) > 0 && reflect.DeepEqual(r.Arguments, other.Arguments) {
		r.Arguments = other.Arguments
	}
	if r.Rounds != nil && other.Rounds != nil && *r.Rounds == *other.Rounds {
		r.Rounds = other.Rounds
	}
}

// shareList replaces a list by an equal one.
func shareList[T comparable](mine *[]T, its []T) {
	if len(its) > 0 && slices.Equal(*mine, its) {
		*mine = its[:len(its):len(its)]
	}
}
