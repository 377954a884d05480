package tt

import (
	"errors"
	"strings"
	"testing"

	"zonemark/executor"
	"zonemark/executor/tt/pjrt"
	"zonemark/invocations"
	"zonemark/invocations/race"
)

const pretendProgram = "func.func @main(%a: tensor<4xf32> {jax.buffer_donor = true}, %b: tensor<2xi8>) -> tensor<4xf32>"

// TestFreed checks that everything that is made is freed, with kept and with pushed buffers, on one device and on
// several, in one set and in several.
func TestFreed(t *testing.T) {
	r, look := pretendRuntime(t, "-DFUNCTIONS=80") // too old to report the types of results
	path := write(t, pretendProgram)
	for _, options := range []map[string]string{nil, {"transfers": "included"}, {"chips": "0"},
		{"chips": "2", "transfers": "included"}} {
		for _, setBytes := range []int64{0, 100} {
			inv := invocation(t, r, path, options, []string{"4xf32=1 2 3 4"}, []string{"4xf32=1 2 3 4"})
			mismatch, notes, err := check(t, r, inv, setBytes)
			if mismatch != "" || err != nil {
				t.Errorf("%v: %s %v", options, mismatch, err)
			}
			if left := look("live_objects"); left != 0 {
				t.Errorf("%v, %d bytes: %d objects were not freed", options, setBytes, left)
			}
			pushed := options["transfers"] == "included"
			if kept := look("kept_arguments"); kept != 0 && pushed || kept != 2 && !pushed {
				t.Errorf("%v: the plugin was told to keep %d arguments", options, kept)
			}
			text := strings.Join(notes, "\n")
			if !strings.Contains(text, "platform pretend") ||
				strings.Contains(text, "take over the memory of %a;") == pushed {
				t.Errorf("%v: notes %s", options, text)
			}
		}
	}
}

// TestRefusals checks that a failure reports the plugin's message and leaves nothing behind.
func TestRefusals(t *testing.T) {
	r, look := pretendRuntime(t)
	for _, c := range []struct {
		name, program string
		options       map[string]string
		want          string
	}{
		{"compile", pretendProgram + " // refuse", nil,
			"PJRT_Client_Compile: UNIMPLEMENTED: this program is not supported here"},
		{"memory", pretendProgram + " // too large", nil, "RESOURCE_EXHAUSTED: 4096 GiB were asked for"},
		{"execute", pretendProgram + " // no such argument", nil,
			"PJRT_LoadedExecutable_Execute: INVALID_ARGUMENT: there is no such argument"},
		{"event", pretendProgram + " // stops on the device", nil, "PJRT_Event_Await: INTERNAL: the device stopped"},
		{"event while pushing", pretendProgram + " // stops on the device",
			map[string]string{"transfers": "included", "chips": "3"}, "the device stopped"},
		{"devices", pretendProgram, map[string]string{"chips": "4"}, "has 3 devices"},
	} {
		inv := invocation(t, r, write(t, c.program), c.options, nil, nil)
		_, _, err := check(t, r, inv, 0)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", c.name, err, c.want)
		}
		var memory *executor.MemoryError
		if errors.As(err, &memory) != (c.name == "memory") {
			t.Errorf("%s: %v is an error for want of memory: %v", c.name, err, memory != nil)
		}
		if left := look("live_objects"); left != 0 {
			t.Errorf("%s: %d objects were not freed", c.name, left)
		}
	}
}

// TestOldPlugin checks that a plugin too old to copy results runs programs, and that the missing function is named if
// results are wanted.
func TestOldPlugin(t *testing.T) {
	r, _ := pretendRuntime(t, "-DFUNCTIONS=60")
	inv := invocation(t, r, write(t, pretendProgram), nil, nil, nil)
	p, call := prepared(t, r, inv)
	if err := once(t, call); err != nil {
		t.Error(err)
	}
	_, err := call.Verify(func(string) {})
	var absent *pjrt.AbsentError
	if !errors.As(err, &absent) || absent.Function != "PJRT_Buffer_ToHostBuffer" {
		t.Errorf("error %v", err)
	}
	call.Close()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestDirect checks that the timing loop makes the right calls of the plugin: results and events are freed, and nothing
// is called after a failure.
func TestDirect(t *testing.T) {
	r, look := pretendRuntime(t)
	for _, c := range []struct {
		program string
		options map[string]string
		steps   int64
	}{
		{pretendProgram, nil, 6},
		{pretendProgram + " // two results", nil, 0},
		{pretendProgram, map[string]string{"chips": "2"}, 0},
		{pretendProgram, map[string]string{"transfers": "included"}, 0},
	} {
		inv := invocation(t, r, write(t, c.program), c.options, nil, nil)
		p, call := prepared(t, r, inv)
		steps, waits := int64(0), false
		switch work := call.Work.(type) {
		case *executor.Native:
			steps, waits = work.CallsPerInvocation, work.Waits
		case *executor.Function:
			waits = work.Waits
		}
		if steps != c.steps || !waits {
			t.Errorf("%s %v: %d calls, want %d", c.program, c.options, steps, c.steps)
		}
		before := look("live_objects")
		if err := once(t, call); err != nil {
			t.Error(err)
		}
		if after := look("live_objects"); c.steps > 0 && after != before {
			t.Errorf("%d objects before a call and %d after it", before, after)
		}
		call.Close()
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	for program, want := range map[string]string{
		pretendProgram + " // no such argument":    "INVALID_ARGUMENT: there is no such argument",
		pretendProgram + " // stops on the device": "INTERNAL: the device stopped",
	} {
		inv := invocation(t, r, write(t, program), nil, nil, nil)
		p, call := prepared(t, r, inv)
		for range 2 {
			if err := once(t, call); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q in it", err, want)
			}
		}
		call.Close()
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestPushAllocates checks that pushing inputs and fetching results allocates nothing after the first time, so that a
// measurement without garbage collection does not fill the memory.
func TestPushAllocates(t *testing.T) {
	if race.Enabled {
		t.Skip("allocations are counted, and those of the race detector are among them")
	}
	r, _ := pretendRuntime(t)
	inv := invocation(t, r, write(t, pretendProgram+" // two results"),
		map[string]string{"transfers": "included", "chips": "2"}, nil, nil)
	p, call := prepared(t, r, inv)
	if n := testing.AllocsPerRun(20, func() {
		if err := call.Work.(*executor.Function).Invoke(); err != nil {
			t.Error(err)
		}
	}); n > 0 {
		t.Errorf("%g allocations in a call", n)
	}
	call.Close()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestSharedClient checks that programs of one plugin share its devices, which are opened again after the last program
// was closed.
func TestSharedClient(t *testing.T) {
	r, look := pretendRuntime(t)
	inv := invocation(t, r, write(t, pretendProgram), nil, nil, nil)
	for range 2 {
		first, err := r.Load(inv.Artifact)
		if err != nil {
			t.Fatal(err)
		}
		one := look("live_objects")
		second, err := r.Load(inv.Artifact)
		if err != nil {
			t.Fatal(err)
		}
		if both := look("live_objects"); both != 2*one-1 {
			t.Errorf("%d objects for one program and %d for two: want all but the client twice", one, both)
		}
		if err := errors.Join(first.Close(), second.Close()); err != nil {
			t.Error(err)
		}
		if left := look("live_objects"); left != 0 {
			t.Errorf("%d objects were not freed", left)
		}
	}
}

// TestRefusedPrograms checks what is told of a program that the plugin's compiler refuses: the reason and the remedy if
// they are known. A program that only the compiler can read has a result all the same.
func TestRefusedPrograms(t *testing.T) {
	r, look := pretendRuntime(t, "-DSTABLEHLO=13")
	const words = "(PJRT_Client_Compile: UNIMPLEMENTED: this program is not supported here)"
	for _, c := range []struct{ program, want string }{
		{"ML\xefR\x0dStableHLO_v1.15.0\x00 refuse", "it as text (of JAX, exported.mlir_module()), or export it for the " +
			"older version " + words},
		{"ML\xefR\x0dStableHLO_v1.15.0\x00 refuse", "bytecode of StableHLO 1.15.0 and the plugin knows StableHLO up to 1.13.3"},
		{"ML\xefR\x0dStableHLO_v1.13.3\x00 refuse", "PJRT_Client_Compile: UNIMPLEMENTED: this program"},
		{"ML\xefR\x0dStableHLO_v1.9.0\x00 refuse shape_assertion", "its shapes are symbolic, which the plugin does not compile"},
		{`"func.func"() <{sym_name = "main"}> // refuse`, "PJRT_Client_Compile: UNIMPLEMENTED: this program"},
	} {
		ds, err := r.Describe(write(t, c.program), executor.DescribeOptions{})
		if err != nil {
			t.Errorf("%q: %v", c.program, err)
			continue
		}
		if f := ds[0].Functions[0]; f.Name != "main" || !strings.Contains(f.Refused, c.want) || len(ds[0].Artifact.SHA256) != 64 {
			t.Errorf("%q: %+v, want %q", c.program, ds[0], c.want)
		}
	}
	symbolic := write(t, "func.func @main(%a: tensor<4xf32>, %b: tensor<?x2xf32>) // refuse")
	_, err := r.Load(invocations.Artifact{Path: symbolic})
	const want = "its shapes are symbolic (%b is tensor<?x2xf32>), which the plugin does not compile: export the program " +
		"with fixed shapes " + words
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v", err)
	}
	if left := look("live_objects"); left != 0 {
		t.Errorf("%d objects were not freed", left)
	}
}
