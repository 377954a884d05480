package invocations

import "testing"

// A record has the parameters that were measured. Those of the invocation are shared and stay, and so are its names.
func TestMeasuredParameters(t *testing.T) {
	inv := Invocation{Parameters: map[string]string{"in.extent": "3", "n": "7"}}
	r := NewRecord(inv, Result{Status: OK, Parameters: map[string]string{"in.extent": "100", "more": "1"}})
	if r.Parameters["in.extent"] != "100" || r.Parameters["n"] != "7" || len(r.Parameters) != 2 {
		t.Errorf("record %v", r.Parameters)
	}
	if inv.Parameters["in.extent"] != "3" {
		t.Errorf("invocation %v", inv.Parameters)
	}
	given := inv
	given.Given = []string{"in.extent"}
	inv.Seal()
	given.Seal()
	if inv.ID == given.ID {
		t.Error("what a user gives has the id of what the artifact estimates")
	}
}
