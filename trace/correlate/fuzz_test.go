package correlate

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zonemark/trace"
	"zonemark/trace/dispatchcsv"
)

// FuzzCorrelate makes zones of any shape, nested or not, out of bytes, with a rule of the fuzzer's own.
func FuzzCorrelate(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x40\x10\x01\x01\x01\x20\x08\x02\x01\x02\x30\x04"), `^a_(\w+)`, "id$1", "")
	f.Add([]byte("\x05\x00\x00\x40\x10\x04\x01\x01\x20\x08\x03\x01\x02\x30\x04"), `.`, "", "${0}")
	f.Add([]byte("\x08\x00\x00\x01\x70\x04\x00\x03\x01\x60\x01\x08\x01\x08\x10\x02\x08\x00\x02\x7f"), `^$`, "", "")
	f.Add([]byte("\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"), `(?P<n>.)`, "$n$2", "$n")
	locations := []trace.Location{
		{Name: "invocation"}, {Name: "a_dispatch_0"}, {Name: "iree_hal_x_issue_dispatch_inline"},
		{Name: "iree_hal_cmd_execute_dispatch_tiles"},
		{Name: "iree_hal_fence_wait"}, {Name: "iree_vm_invoke"}, {Name: "k", File: "inv://9/f"}, {Function: "host"},
	}
	texts := []string{"", "inv=1", "inv=2\n2 [0x2]", "inv=", "x\ninv=3"}
	f.Fuzz(func(t *testing.T, data []byte, expression, invocation, dispatch string) {
		source := &deviceList{}
		for i := int64(0); len(data) >= 5; data, i = data[5:], i+1 {
			z := trace.Zone{
				Ordinal: i ^ int64(data[1]>>5), Parent: int64(data[2]) - 1, Depth: int(data[2] & 7),
				Thread:   int(data[1] & 3),
				Location: &locations[data[0]&7], Text: texts[int(data[0]>>3)%len(texts)], Unfinished: data[0] > 250,
				StartNS: int64(data[3]) * 1000, DurationNS: int64(int8(data[4])) * 1000,
			}
			if data[1]&4 != 0 {
				z.DynamicName = string(data[2:5])
			}
			if data[1]&8 != 0 {
				source.gpu = append(source.gpu, trace.GPUZone{Location: z.Location, Depth: z.Depth, StartNS: z.StartNS,
					DurationNS: z.DurationNS, CPUStartNS: int64(data[2]) * 1000, Unfinished: z.Unfinished})
				continue
			}
			source.zones = append(source.zones, z)
		}
		options := Options{WarmupIterations: 1}
		if compiled, err := regexp.Compile(expression); err == nil && (invocation != "" || dispatch != "") {
			options.Rules = []Rule{{Zone: compiled, Invocation: invocation, Dispatch: dispatch}}
		}
		c, err := Join(source, options)
		if err != nil {
			t.Fatal(err)
		}
		twice, err := join(source, options, 0)
		if diff := cmp.Diff(c, twice); diff != "" || err != nil {
			t.Errorf("by two walks: %v\n%s", err, diff)
		}
		for _, inv := range c.Invocations {
			for _, it := range inv.Iterations {
				if sum := it.DispatchNS + it.GapNS + it.HostNS + it.UnexplainedNS; sum != it.BracketNS {
					t.Errorf("%s: %+v", inv.ID, it.Conservation)
				}
			}
		}
		var b bytes.Buffer
		if err := dispatchcsv.Write(&b, c.Rows()); err != nil {
			t.Fatal(err)
		}
		if rows, err := dispatchcsv.Read("fuzz", &b); err != nil || len(rows) != len(c.Rows()) {
			t.Errorf("%d of %d rows, %v", len(rows), len(c.Rows()), err)
		}
	})
}
