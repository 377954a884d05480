package iree

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/executor/iree/functions"
	"zonemark/executor/iree/tensor"
	"zonemark/executor/iree/vmfb"
	"zonemark/executor/tracy"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// echoSession is a runtime whose functions return their first input. The function "zero" returns zeros, "nan" NaN.
type echoSession struct {
	bound []*echoCalls
	log   []string
}

type echoCalls struct {
	session  *echoSession
	function string
	inputs   []tensor.Tensor
	calls    int
}

func (s *echoSession) bind(function string, inputs []tensor.Tensor) (*bound, error) {
	if function == "refuses" {
		return nil, errors.New("the device refuses")
	}
	b := &echoCalls{session: s, function: function, inputs: inputs}
	s.bound = append(s.bound, b)
	return &bound{calls: b}, nil
}

func (s *echoSession) tracyClient() *tracy.Client { return nil }
func (s *echoSession) close() error               { s.log = append(s.log, "session"); return nil }

func (b *echoCalls) invoke() error { b.calls++; return nil }
func (b *echoCalls) close()        { b.session.log = append(b.session.log, "bound") }

func (b *echoCalls) outputs() ([]tensor.Tensor, error) {
	out := b.inputs[0]
	out.Data = slices.Clone(out.Data)
	switch b.function {
	case "zero":
		clear(out.Data)
	case "nan":
		binary.LittleEndian.PutUint32(out.Data, math.Float32bits(float32(math.NaN())))
	}
	return []tensor.Tensor{out}, nil
}

// echoProgram returns a program whose functions have one input and one result of eight floats each.
func echoProgram() (*program, *echoSession) {
	eight := vmfb.Type{Kind: vmfb.Tensor, Element: "f32", Shape: []int64{8}, Text: "tensor<8xf32>"}
	m := &vmfb.Module{Name: "module"}
	for _, name := range []string{"echo", "again", "zero", "nan", "refuses"} {
		m.Functions = append(m.Functions, vmfb.Function{
			Name:      name,
			Arguments: []vmfb.Value{{Name: "input0", Type: eight}},
			Results:   []vmfb.Value{{Name: "output0", Type: eight}},
		})
	}
	s := &echoSession{}
	return &program{session: s, module: m, artifact: invocations.Artifact{Path: "echo.vmfb"}}, s
}

func invocation(p *program, function string, contents invocations.Contents) *invocations.Invocation {
	inv := &invocations.Invocation{Function: function}
	if f, known := p.module.Function(function); known {
		inv.Arguments = functions.Describe(f, "").Arguments
		inv.Arguments[0].Contents = contents
	}
	return inv
}

func constant(v string) invocations.Contents {
	return invocations.Contents{Fill: invocations.FillConstant, Value: v}
}

func verified(
	t *testing.T, p *program, inv *invocations.Invocation,
) (mismatch string, notes []string, phases []string) {
	t.Helper()
	call, err := p.Prepare(inv, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer call.Close()
	mismatch, err = call.Verify(func(phase string) { phases = append(phases, phase) })
	if err != nil {
		t.Fatal(err)
	}
	return mismatch, call.Notes, phases
}

func TestVerify(t *testing.T) {
	npy := filepath.Join(t.TempDir(), "half.npy")
	header := "{'descr': '<f4', 'fortran_order': False, 'shape': (8,), }"
	file := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), 0)
	file = append(file, header...)
	for range 8 {
		file = binary.LittleEndian.AppendUint32(file, math.Float32bits(0.5))
	}
	if err := os.WriteFile(npy, file, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		function  string
		reference string
		expected  []string
		tolerance float64
		mismatch  string
	}{
		{"echo", "", nil, 0, ""},
		{"echo", "", []string{"8xf32=0.5"}, 0, ""},
		{"echo", "", []string{"@" + npy}, 0, ""},
		{"echo", "", []string{"8xf32=0.50001"}, 0, ""},
		{"echo", "", []string{"8xf32=0.51"}, 0, "result 0 is not as expected: 8 of 8 elements differ"},
		{"echo", "", []string{"8xf32=0.51"}, 0.1, ""},
		{"echo", "", []string{"4xf32=0.5"}, 0, "got 8xf32, want 4xf32"},
		{"echo", "", []string{"8xi32=1"}, 0, "got 8xf32, want 8xi32"},
		{"echo", "", []string{"8xf32=0.5 0.5 0.5 1 0.5 0.5 0.5 0.5"}, 0,
			"1 of 8 elements differ; the first is element 3"},
		{"echo", "again", nil, 0, ""},
		{"zero", "again", nil, 0, "8 of 8 elements differ"},
		{"nan", "again", nil, 0, "1 of 8 elements differ"},
	} {
		p, _ := echoProgram()
		inv := invocation(p, c.function, constant("0.5"))
		inv.Verify = invocations.Verification{Reference: c.reference, Expected: c.expected, Tolerance: c.tolerance}
		mismatch, _, phases := verified(t, p, inv)
		if c.mismatch == "" && mismatch != "" || !strings.Contains(mismatch, c.mismatch) {
			t.Errorf("%s against %s%v: %q, want %q", c.function, c.reference, c.expected, mismatch, c.mismatch)
		}
		if want := []string{"reference", "verify"}; c.reference != "" && !slices.Equal(phases, want) {
			t.Errorf("phases %v, want %v", phases, want)
		}
	}
}

func TestVerifyErrors(t *testing.T) {
	for want, v := range map[string]invocations.Verification{
		"2 outputs are expected, and the function has 1": {Expected: []string{"8xf32=1", "8xf32=1"}},
		"the values are missing":                         {Expected: []string{"8xf32"}},
		"missing.npy":                                    {Expected: []string{"@missing.npy"}},
		`no reference function "ecko"; did you mean`:     {Reference: "ecko"},
		"the device refuses":                             {Reference: "refuses"},
	} {
		p, _ := echoProgram()
		inv := invocation(p, "echo", constant("0.5"))
		inv.Verify = v
		call, err := p.Prepare(inv, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := call.Verify(func(string) {}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestNaNIsNoted(t *testing.T) {
	p, _ := echoProgram()
	_, notes, _ := verified(t, p, invocation(p, "nan", constant("1")))
	if len(notes) != 1 || notes[0] != "1 of 8 elements of result 0 are NaN" {
		t.Errorf("notes %q", notes)
	}
	if _, notes, _ := verified(t, p, invocation(p, "echo", constant("1"))); len(notes) != 0 {
		t.Errorf("notes of numbers: %q", notes)
	}
}

// TestColdSets checks that every set has its own contents and that calls use the sets in turn.
func TestColdSets(t *testing.T) {
	p, s := echoProgram()
	call, err := p.Prepare(invocation(p, "echo", invocations.Contents{}), 100)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.bound) != 4 || call.SetBytes != 128 {
		t.Fatalf("%d sets of %d bytes, want 4 of 128", len(s.bound), call.SetBytes)
	}
	seen := map[string]bool{}
	for _, b := range s.bound {
		seen[string(b.inputs[0].Data)] = true
	}
	if len(seen) != 4 {
		t.Errorf("%d different sets of 4", len(seen))
	}
	for range 6 {
		if err := call.Work.(*executor.Function).Invoke(); err != nil {
			t.Fatal(err)
		}
	}
	var calls []int
	for _, b := range s.bound {
		calls = append(calls, b.calls)
	}
	if slices.Sort(calls[1:]); !slices.Equal(calls, []int{2, 1, 1, 2}) { // the seed chooses the order after the first
		t.Errorf("calls %v", calls)
	}
	call.Close()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if want := []string{"bound", "bound", "bound", "bound", "session"}; !slices.Equal(s.log, want) {
		t.Errorf("closed in the order %v, want %v", s.log, want)
	}
}

func TestPrepareErrors(t *testing.T) {
	p, _ := echoProgram()
	open := invocations.Argument{Name: "x", Element: invocations.Float32, Extent: "?x4", Usage: invocations.Input}
	for want, change := range map[string]func(*invocations.Invocation){
		`no function "ecco"; did you mean "echo"`: func(v *invocations.Invocation) { v.Function = "ecco" },
		"0 inputs are given and echo takes 1":     func(v *invocations.Invocation) { v.Arguments = nil },
		"; shape 16x4xf32":                        func(v *invocations.Invocation) { v.Arguments[0] = open },
		"output0 is a result of echo, which takes 1": func(v *invocations.Invocation) {
			v.Arguments[1].Contents = constant("1")
		},
		"no such file": func(v *invocations.Invocation) {
			v.Arguments[0].Contents = invocations.Contents{Fill: invocations.FillFile, Path: "no.npy"}
		},
		"4 values for 8 elements": func(v *invocations.Invocation) {
			v.Arguments[0].Contents = invocations.Contents{Fill: invocations.FillList, Value: "1 2 3 4"}
		},
		"no memory holds 1099511627776x1099511627776": func(v *invocations.Invocation) {
			v.Arguments[0].Shape = []int64{1 << 40, 1 << 40}
		},
		"the device refuses": func(v *invocations.Invocation) { v.Function = "refuses" },
	} {
		inv := invocation(p, "echo", constant("1"))
		change(inv)
		if _, err := p.Prepare(inv, 0); err == nil || !strings.Contains(remedy.Told(err, nil), want) ||
			!strings.Contains(err.Error(), "echo.vmfb") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestChoose(t *testing.T) {
	in := InstallationFrom(func(name string) string { return fmt.Sprintf("value of %s", name) })
	if in.Python != "value of ZONEMARK_IREE_PYTHON" || in.Tools != "value of ZONEMARK_IREE_TOOLS" || in.Tracy {
		t.Errorf("%+v", in)
	}
	if in := InstallationFrom(func(string) string { return "tracy" }); !in.Tracy {
		t.Error("the traced runtime is not asked for")
	}
}
