package plan

import (
	"errors"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"

	"zonemark/driver/journal"
	"zonemark/driver/journal/journaltest"
	"zonemark/invocations"

	"github.com/google/go-cmp/cmp"
)

// Artifacts with equal names in several folders get as many folders in their names as needed.
func TestNamesApart(t *testing.T) {
	paths := []string{"/a/tiny.mlir", "/b/tiny.mlir", "/a/x/mlp.mlir", "/b/x/mlp.mlir", "/a/single.vmfb", "/tiny.mlir",
		"/a/tiny.vmfb"}
	all := map[string]bool{}
	for _, path := range paths {
		all[path] = true
	}
	names := shortestNames(all)
	for i, want := range []string{"a/tiny.mlir", "b/tiny", "a/x/mlp", "b/x/mlp", "single", "/tiny", "tiny.vmfb"} {
		if got := names[paths[i]]; got != want {
			t.Errorf("%s is called %q, want %q", paths[i], got, want)
		}
	}
	o := Outline{names: names}
	chosen := Entry{Invocation: invocations.Invocation{Name: "chosen", Artifact: invocations.Artifact{Path: paths[0]}}}
	given := chosen
	given.Unnamed, given.Invocation.Name = true, "f"
	o.complete(&chosen)
	o.complete(&given)
	if chosen.Invocation.Name != "chosen" || given.Invocation.Name != "a/tiny.mlir/f" {
		t.Errorf("the names are %q and %q", chosen.Invocation.Name, given.Invocation.Name)
	}
}

// Files in options count by their content, and a former id is kept if it differs.
func TestSealByContent(t *testing.T) {
	contents := func(options map[string]string) map[string]string {
		if options["plugin"] == "/a/x.so" || options["plugin"] == "/b/x.so" {
			return map[string]string{"plugin": "sha256:77"}
		}
		return options
	}
	sealed := func(plugin string) Entry {
		one := invocations.Invocation{Name: "one",
			Artifact: invocations.Artifact{Options: map[string]string{"plugin": plugin}}}
		p := Entry{Invocation: one}
		p.seal(contents)
		return p
	}
	a, b, cpu := sealed("/a/x.so"), sealed("/b/x.so"), sealed("cpu")
	if a.Invocation.ID != b.Invocation.ID || a.Former == b.Former || a.Former == "" || a.Former == a.Invocation.ID {
		t.Errorf("ids %s and %s, formerly %s and %s", a.Invocation.ID, b.Invocation.ID, a.Former, b.Former)
	}
	if plugin := b.Invocation.Artifact.Options["plugin"]; plugin != "/b/x.so" {
		t.Errorf("the executor is told to load %s", plugin)
	}
	if cpu.Former != "" {
		t.Errorf("a name has the former id %s", cpu.Former)
	}
	before := invocations.Record{ID: a.Former, Name: "of before"}
	since := invocations.Record{ID: a.Invocation.ID, Name: "measured since"}
	for _, c := range []struct {
		held []invocations.Record
		want string
	}{{[]invocations.Record{before}, before.Name}, {[]invocations.Record{before, since}, since.Name}} {
		written, done := holding(t, c.held...)
		plan := NewPlan(a, cpu)
		plan.Adopt(done)
		got, err := written.Results(done, plan.IDs()).At(0)
		if err != nil || got.Name != c.want || done.Len() != 2 || done.Has(cpu.Invocation.ID) {
			t.Errorf("adopted: %+v, %v; want %s", got, err, c.want)
		}
	}
}

// holding returns a journal that holds results, and these.
func holding(t *testing.T, records ...invocations.Record) (*journal.Writer, *journal.Done) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "j.ndjson")
	written, err := journal.Create(path, journal.Header{}, false)
	for i := range records {
		records[i].Status = invocations.OK
		err = errors.Join(err, written.Append(records[i]))
	}
	if err = errors.Join(err, written.Close(true)); err != nil {
		t.Fatal(err)
	}
	written, done, err := journal.Resume(t.Context(), path, journal.Header{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { written.Close(false) })
	return written, done
}

// TestPlanMemory: a plan keeps of each point only what differs from the others.
func TestPlanMemory(t *testing.T) {
	const points = 20000
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	plan := &Plan{}
	for i := range points {
		inv := journaltest.Invocation(i)
		inv.Seal()
		plan.Add(Entry{Invocation: inv, Comparable: true})
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if each := float64(after.HeapAlloc-before.HeapAlloc) / points; each > 120 {
		t.Errorf("%.0f bytes each", each)
	}
	want := journaltest.Invocation(points - 1)
	want.Seal()
	if diff := cmp.Diff(Entry{Invocation: want, Comparable: true}, *plan.At(points - 1)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPlanKeepsAll sets every field of an invocation, and checks that the plan keeps it.
func TestPlanKeepsAll(t *testing.T) {
	var p Entry
	setAll(t, reflect.ValueOf(&p).Elem())
	plan := NewPlan(Entry{}, p)
	if diff := cmp.Diff(p, *plan.At(1)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// setAll sets all fields of a value to something that is not zero.
func setAll(t *testing.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			setAll(t, v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		setAll(t, v.Index(1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("key"), reflect.ValueOf("value"))
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(1.25)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint64:
		v.SetUint(1 << 63)
	default:
		t.Fatalf("a field of type %s", v.Type())
	}
}
