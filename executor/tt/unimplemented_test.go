package tt

import (
	"strings"
	"testing"

	"zonemark/invocations"
)

// TestUnimplemented checks plugins that do not implement what others do: each runs programs all the same, or the error
// names what is missing.
func TestUnimplemented(t *testing.T) {
	const values = "4xf32=1 2 3 4"
	for _, c := range []struct {
		flags, program, want string
	}{
		{"-DNO_AWAIT", pretendProgram, ""},
		{"-DNO_AWAIT", pretendProgram + " // two results", ""},
		{"-DNO_AWAIT", pretendProgram + " // stops on the device", "PJRT_Event_OnReady: INTERNAL: the device stopped"},
		{"-DNO_AWAIT -DNO_CALLBACK", pretendProgram, ""},
		{"-DNO_AWAIT -DNO_CALLBACK", pretendProgram + " // two results", ""},
		{"-DNO_AWAIT -DNO_CALLBACK", pretendProgram + " // stops on the device",
			"PJRT_Event_Error: INTERNAL: the device stopped"},
		{"-DNO_READY", pretendProgram, "it does not implement PJRT_Event_Await: PJRT_Event_IsReady: UNIMPLEMENTED"},
		{"-DNO_RESULTS", pretendProgram, ""},
		{"-DSTRIDES", pretendProgram, ""},
		{"-DNO_TYPES", pretendProgram, ""},
		{"-DNO_TYPES", `"func.func"() <{sym_name = "main"}>`, "give the program as text"},
	} {
		r, look := pretendRuntime(t, strings.Fields(c.flags)...)
		for _, transfers := range []string{"excluded", "included"} {
			inv := &invocations.Invocation{Function: "main", Artifact: invocations.Artifact{Path: write(t, c.program)}}
			if !strings.HasPrefix(c.program, `"`) {
				inv = invocation(t, r, inv.Artifact.Path, nil, []string{values}, []string{values})
			}
			inv.Artifact.Options = map[string]string{"transfers": transfers}
			mismatch, _, err := check(t, r, inv, 0)
			if mismatch != "" || (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: %s, error %v, want %q in it", c.flags, c.program, mismatch, err, c.want)
			}
			if left := look("live_objects"); left != 0 {
				t.Errorf("%s, %s: %d objects were not freed", c.flags, c.program, left)
			}
		}
	}
}

// TestCallEndsWithResults checks that a call ends when its results are ready, in plugins whose completion event comes
// before, and in whatever way zonemark waits.
func TestCallEndsWithResults(t *testing.T) {
	for _, flags := range []string{"-DEARLY", "-DEARLY -DNO_AWAIT", "-DEARLY -DNO_AWAIT -DNO_CALLBACK"} {
		r, look := pretendRuntime(t, strings.Fields(flags)...)
		for _, c := range []struct {
			program string
			options map[string]string
		}{
			{pretendProgram, nil},
			{pretendProgram + " // two results", nil},
			{pretendProgram, map[string]string{"chips": "2"}},
		} {
			inv := invocation(t, r, write(t, c.program), c.options, nil, nil)
			p, call := prepared(t, r, inv)
			for range 2 {
				if err := once(t, call); err != nil {
					t.Error(err)
				}
				if n := look("running_executions"); n != 0 {
					t.Errorf("%s, %s %v: %d executions run after the call", flags, c.program, c.options, n)
				}
			}
			call.Close()
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
