package dispatchcsv

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// TestRowsOfOneAndOfMany: a row of one iteration has no calls; a median leaves out what it cannot know. Both are read
// back.
func TestRowsOfOneAndOfMany(t *testing.T) {
	rows := []Row{
		{
			Invocation: "a", Name: "mlp", Iteration: 1, Warmup: true, Ordinal: 2, Dispatch: "d, 0",
			SourceFile: "m.mlir", SourceLine: 3, StartNS: 4, DurationNS: 5, TotalNS: 6, Workgroups: 7, Threads: 8,
			GapBeforeNS: 9, Flags: "partial empty",
		},
		{Invocation: "b", Dispatch: "d", DurationNS: 10, Workgroups: 1, Calls: 50, P10NS: 9, P90NS: 13,
			QuietShare: "0.25", Disturbed: "other work"},
	}
	const want = "invocation,invocation_name,iteration,warmup,ordinal,dispatch,source_file,source_line,start_ns," +
		"duration_ns,total_ns,workgroups,threads,gap_before_ns,flags,calls,p10_ns,p90_ns,quiet_share,disturbed\n" +
		"a,mlp,1,true,2,\"d, 0\",m.mlir,3,4,5,6,7,8,9,partial empty,,,,,\n" +
		"b,,,,0,d,,,,10,,1,0,,,50,9,13,0.25,other work\n"
	var b bytes.Buffer
	if err := Write(&b, rows); err != nil || b.String() != want {
		t.Fatalf("%v\n%s", err, &b)
	}
	if again, err := Read("t", &b); err != nil || !slices.Equal(again, rows) {
		t.Errorf("%+v, %v", again, err)
	}
	for in, want := range map[string]string{
		"": "t: header of a dispatch CSV", "a,b\n": `the column "invocation" is missing`,
		"invocation,iteration,ordinal,dispatch,start_ns,duration_ns\na,0,0,d,x,1\n": `t:2: column "start_ns"`,
	} {
		if _, err := Read("t", strings.NewReader(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("invocation,iteration,ordinal,dispatch,start_ns,duration_ns\na,0,0,d,1,2\n"))
	f.Add([]byte("invocation,iteration,ordinal,dispatch,start_ns,duration_ns,more\na,0,0,\"d\n\"\"\",1,2,\n"))
	f.Add([]byte("invocation,iteration,ordinal,dispatch,start_ns,duration_ns\na,0\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, err := Read("fuzz", bytes.NewReader(data))
		if err == nil && rows == nil {
			t.Error("neither rows nor an error")
		}
	})
}
