package plan

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// sweep yields n requests for a function with a parameter.
func sweep(n int) Requests {
	return func(yield func(*invocations.Invocation, error) bool) {
		for i := range n {
			r := invocations.Invocation{Name: fmt.Sprintf("/n=%d", i), Runtime: "hat", Function: "f",
				Artifact: invocations.Artifact{Path: "/a.hat"}, Parameters: map[string]string{"n": fmt.Sprint(i)}}
			if !yield(&r, nil) {
				return
			}
		}
	}
}

func outlineOf(requests Requests) *Outline {
	f := invocations.Function{Name: "f", Parameters: []invocations.Parameter{{Name: "n"}}}
	d := invocations.Description{Artifact: invocations.Artifact{Path: "/a.hat"}, Functions: []invocations.Function{f}}
	return &Outline{planner: &Planner{}, requests: requests, seen: map[string]bool{},
		found: map[string]described{"hat\x00/a.hat": {list: []invocations.Description{d}}}}
}

func surveyOf(t *testing.T, o *Outline) *survey {
	t.Helper()
	asked, err := Ask(o.requests)
	if err != nil {
		t.Fatal(err)
	}
	return newSurvey(o, asked)
}

// An outline takes no memory for its invocations, however many it has, and gives them the ids that the plan gives them.
func TestOutlineHoldsNothing(t *testing.T) {
	const many, allowed = 50_000, 2 << 20
	o := outlineOf(sweep(many))
	plan, err := outlineOf(sweep(10)).Plan()
	if err != nil {
		t.Fatal(err)
	}
	live := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, i := live(), 0
	for p, err := range o.All() {
		if err != nil {
			t.Fatal(err)
		}
		if i < plan.Len() {
			if o.Seal(p); p.Invocation.ID != plan.At(i).Invocation.ID || p.Invocation.Name != plan.At(i).Invocation.Name {
				t.Errorf("invocation %d is %s %s, in the plan %s %s", i, p.Invocation.ID, p.Invocation.Name,
					plan.At(i).Invocation.ID, plan.At(i).Invocation.Name)
			}
		}
		if i++; i == many {
			if now := live(); now > before+allowed {
				t.Errorf("%d invocations take %d bytes", many, now-before)
			}
		}
	}
	if i != many {
		t.Errorf("%d invocations, want %d", i, many)
	}
	runtime.KeepAlive(plan)
}

// An error of the requests ends a plan.
func TestOutlineError(t *testing.T) {
	broken := fmt.Errorf("a brace has no partner")
	_, err := outlineOf(func(yield func(*invocations.Invocation, error) bool) {
		for r := range sweep(1) {
			if !yield(r, nil) {
				return
			}
		}
		yield(nil, broken)
	}).Plan()
	if err != broken {
		t.Errorf("got %v", err)
	}
}

// A selected function that one request is refused is not missing if another function can run.
func TestSelectedFunctionRefused(t *testing.T) {
	o := outlineOf(RequestList([]invocations.Invocation{
		{Runtime: "hat", Artifact: invocations.Artifact{Path: "/a.hat"}, Parameters: map[string]string{"z": "1"}},
		{Runtime: "hat", Artifact: invocations.Artifact{Path: "/b.hat"}},
	}))
	o.only = []string{"f", "g"}
	o.found["hat\x00/b.hat"] = described{list: []invocations.Description{
		{Artifact: invocations.Artifact{Path: "/b.hat"}, Functions: []invocations.Function{{Name: "g"}}}}}
	o.planner.Where = func(request int, table, name string) string { return fmt.Sprint(request, " ", table, ".", name) }
	if err := surveyOf(t, o).all(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	plan, err := o.Plan()
	if err != nil || plan.Len() != 2 {
		t.Fatalf("%+v, %v", plan, err)
	}
	want := `0 params.z: /a.hat: function f: it has no parameter "z"; it has: n`
	if p := plan.At(0); p.Verdict != invocations.Failed || p.Reason != want {
		t.Errorf("%s: %s, want %s", p.Verdict, p.Reason, want)
	}
	if p := plan.At(1); p.Verdict != "" || p.Invocation.Function != "g" {
		t.Errorf("%+v", p)
	}
}

// What was probably meant by an unknown name is a remedy, which stands in the words of the interface.
func TestUnknownNames(t *testing.T) {
	words := func(r remedy.Remedy) string {
		return fmt.Sprintf("\n%s %s %s", r.Kind, r.Name, r.Value)
	}
	f := &invocations.Function{Name: "blur", Parameters: []invocations.Parameter{{Name: "width"}, {Name: "dst.extent"}}}
	ds := []invocations.Description{{Functions: []invocations.Function{*f}}}
	for _, c := range []struct {
		err  error
		want string
	}{
		{noSuchFunction("a", "blurr", ds), "shows all 1\ninstead blurr blur"},
		{noSuchFunction("a", "matmul", ds), "it has: blur\ninstead matmul blur"},
		{noSuchFunction("a", "matmul", nil), "it has: "},
		{agrees(&invocations.Argument{Element: invocations.Float64, Shape: []int64{8}},
			&invocations.Argument{Element: invocations.Float32, Extent: "len"}), "not 8xf64; correct the input\ninstead 8xf64 8xf32"},
		{agrees(&invocations.Argument{Element: invocations.Float32, Shape: []int64{8, 3}},
			&invocations.Argument{Element: invocations.Float32, Extent: "?x64"}), "\ninstead 8x3xf32 8x64xf32"},
		{agrees(&invocations.Argument{Element: invocations.Float32, Shape: []int64{3}},
			&invocations.Argument{Element: invocations.Float32, Extent: "?x?"}), "\ninstead 3xf32 3x16xf32"},
		{noSuchParameter("widht", nil, f), "it has: width, dst.extent\ninstead widht width"},
		{noSuchParameter("dst", nil, f), "\ninstead dst dst.extent"},
		{noSuchParameter("widht", map[string]string{"width": "1"}, f), "\ngenerated widht dst.extent"},
		{noSuchParameter("m", map[string]string{"width": "1", "dst.extent": "8"}, f), "\ngenerated m "},
		{noSuchParameter("size", map[string]string{"size": "640x480"}, f), "it has: width, dst.extent\ninstead size dst.extent"},
		{noSuchParameter("size", map[string]string{"size": "640x480", "dst.extent": "8"}, f), "it has: width, dst.extent"},
		{noSuchParameter("radius", nil, f), "\ngenerated radius width"},
		{(&Planner{Words: words}).told(&settingError{"params", "dst", noSuchParameter("dst", nil, f)}),
			"\ninstead dst dst.extent"},
		{missing([]string{"blurr"}, nil, map[string][]invocations.Description{"": ds}, words), "\ninstead blurr blur"},
	} {
		if got := remedy.Told(c.err, words); !strings.HasSuffix(got, c.want) {
			t.Errorf("%q, want %q at its end", got, c.want)
		}
	}
}

// Why a function cannot run comes before what is wrong with what it was given: nothing may be known of its parameters.
func TestSkippedFunctionIsGivenParameters(t *testing.T) {
	given := map[string]string{"len": "4096"}
	o := outlineOf(RequestList([]invocations.Invocation{
		{Runtime: "c", Artifact: invocations.Artifact{Path: "/a.h"}, Parameters: given,
			Arguments: []invocations.Argument{{Name: "buf", Contents: invocations.Contents{Fill: invocations.FillZeros}}}},
	}))
	o.found["c\x00/a.h"] = described{list: []invocations.Description{
		{Artifact: invocations.Artifact{Path: "/a.h"}, Functions: []invocations.Function{{Name: "crc", Skip: "no shape"}}}}}
	if err := surveyOf(t, o).all(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	plan, err := o.Plan()
	if err != nil || plan.Len() != 1 {
		t.Fatalf("%+v, %v", plan, err)
	}
	if p := plan.At(0); p.Verdict != invocations.Skipped || p.Reason != "no shape" || p.Invocation.Parameters["len"] != "4096" {
		t.Errorf("%+v", p)
	}
}

// An error about an argument of a function whose arguments are not known says why they are not.
func TestArgumentsNotKnown(t *testing.T) {
	f := &invocations.Function{Name: "dispatch", Note: "how it is called was not recorded: two inputs are given"}
	given := &invocations.Invocation{Arguments: []invocations.Argument{{Element: invocations.Float32, Shape: []int64{4}}}}
	_, err := (&Planner{}).resolve(given, &invocations.Description{}, f, nil)
	if err == nil || !strings.Contains(err.Error(), "takes none; how it is called was not recorded") {
		t.Error(err)
	}
}

// A whole number may be written with a letter, and is kept in digits, so that 4k and 4096 are one invocation.
func TestParameterWithLetter(t *testing.T) {
	f := &invocations.Function{Parameters: []invocations.Parameter{{Name: "n", Example: "64"}, {Name: "text", Default: "a"}}}
	got, err := parameters(map[string]string{"n": "4k", "text": "4k"}, f, nil)
	if err != nil || got["n"] != "4096" || got["text"] != "4k" {
		t.Errorf("%v, %v", got, err)
	}
}

// A build may take as long as the most patient of the invocations that need it allows.
func TestMostPatientLimit(t *testing.T) {
	patient := invocations.Invocation{Runtime: "hat", Artifact: invocations.Artifact{Path: "/a.hat"}}
	hasty := patient
	hasty.Limits.BuildNS, patient.Limits.BuildNS = 1000, 5000
	hasty.Name, patient.Name = "hasty", "patient"
	s := surveyOf(t, outlineOf(RequestList([]invocations.Invocation{hasty, patient})))
	if err := s.all(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if read, build := s.reading["hat\x00/a.hat"], s.building["hat\x00/a.hat"]; read != 5000 || build != 5000 {
		t.Errorf("reading may take %v, building %v, want 5µs", read, build)
	}
}

// A parameter that is in the arguments already is dropped if the function has none of that name.
func TestWithoutPlaced(t *testing.T) {
	f := &invocations.Function{Parameters: []invocations.Parameter{{Name: "k"}}}
	r := &invocations.Invocation{Parameters: map[string]string{"k": "1", "n": "2", "m": "3"}, Placed: []string{"n", "k"}}
	if got := withoutPlaced(r, f); len(got) != 2 || got["k"] != "1" || got["m"] != "3" || len(r.Parameters) != 3 {
		t.Errorf("%v of %v", got, r.Parameters)
	}
}

// Parameters that an artifact only estimates are marked if a user gives them, and the plan does not claim their values.
func TestEstimatedParameters(t *testing.T) {
	f := &invocations.Function{Name: "f", Parameters: []invocations.Parameter{
		{Name: "in.extent", Default: "3", Estimated: true}, {Name: "n", Default: "7"}}}
	d := &invocations.Description{}
	for _, c := range []struct {
		given map[string]string
		want  []string
	}{
		{nil, nil}, {map[string]string{"in.extent": "3"}, []string{"in.extent"}}, {map[string]string{"in.extent": "4"}, nil},
		{map[string]string{"n": "7"}, nil},
	} {
		p, err := (&Planner{}).resolve(&invocations.Invocation{Parameters: c.given}, d, f, nil)
		if err != nil || !slices.Equal(p.Invocation.Given, c.want) || strings.Contains(p.Note, "in.extent") {
			t.Errorf("%v: given %q, note %q, %v; want %q", c.given, p.Invocation.Given, p.Note, err, c.want)
		}
	}
}
