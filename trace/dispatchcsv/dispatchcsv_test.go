package dispatchcsv

import (
	"bytes"
	"testing"
)

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
