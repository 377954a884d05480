package combine

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"zonemark/driver/combine/combinetest"
	"zonemark/invocations"
)

// Every field of a result has one rule, so that a new field needs one edit, and no rule is for a field that is not there.
func TestEveryFieldHasARule(t *testing.T) {
	count := map[string]int{}
	for _, r := range slices.Concat(whatever(), timed()) {
		count[r.field]++
		for of, f := range r.folds {
			if f == nil {
				t.Errorf("the rule for %s says nothing of level %d", r.field, of)
			}
		}
	}
	for _, field := range fieldsOf(reflect.TypeFor[invocations.Result]()) {
		name := field.Name
		if count[name] != 1 {
			t.Errorf("%s has %d rules; say in fold.go how it is made of the parts of a result", name, count[name])
		}
		delete(count, name)
	}
	if len(count) > 0 {
		t.Errorf("rules for fields that no result has: %v", count)
	}
}

// fieldsOf returns the fields of a struct, with those of its kinds, which stand in their place, instead of these.
func fieldsOf(t reflect.Type) (fields []reflect.StructField) {
	inline := func(f reflect.StructField) bool { return f.Anonymous && f.Tag != "" } // in messages, or in none
	for _, f := range reflect.VisibleFields(t) {
		if !inline(f) && (len(f.Index) == 1 || inline(t.Field(f.Index[0]))) {
			fields = append(fields, f)
		}
	}
	return fields
}

// A rule makes its own field only, beside notes that it adds.
func TestRulesMakeTheirOwnField(t *testing.T) {
	parts := combinetest.LaunchesOf(10, 20, 30)
	for i := range parts {
		one := &parts[i]
		one.Merged, one.SpentNS, one.Notes, one.WarmupCalls = 1, 5, []string{"a note"}, 7
		one.Apart = invocations.ApartBatches{NS: []float64{99}, After: []int64{7}}
		one.RoundsNS, one.Neighbours, one.OverheadNS = []float64{1}, []float64{0.5}, 2
		one.MergedSamples, one.MergedIterations = []int{len(one.SamplesNS)}, []int64{one.Iterations}
		one.Counters = []invocations.Count{{Name: "instructions", PerCall: float64(i), Exact: true}}
	}
	made := map[string]bool{}
	for of := range levels {
		for _, r := range slices.Concat(whatever(), timed()) {
			out := parts[0]
			f := &folding{out: &out, parts: parts, all: parts, disturbed: make([]bool, len(parts)), spent: time.Second,
				spread: spread(parts, nil), hosts: hosts{"a", "b", "c"}}
			r.folds[of](f)
			before, after := reflect.ValueOf(parts[0]), reflect.ValueOf(out)
			for _, field := range fieldsOf(before.Type()) {
				name := field.Name
				if reflect.DeepEqual(before.FieldByIndex(field.Index).Interface(),
					after.FieldByIndex(field.Index).Interface()) {
					continue
				}
				if made[name] = true; name != r.field && name != "Notes" {
					t.Errorf("level %d: the rule for %s changes %s", of, r.field, name)
				}
			}
		}
	}
	for _, name := range []string{"SamplesNS", "Iterations", "Discarded", "Merged", "SpentNS", "Summary", "Spread", "Canary"} {
		if !made[name] {
			t.Errorf("no rule makes %s of the parts", name)
		}
	}
}
