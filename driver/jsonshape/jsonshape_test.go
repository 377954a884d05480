package jsonshape

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

type inner struct {
	Low  float64 `json:"low,omitempty"`
	Name string  `json:"name"` // hidden by outer's
}

type outer struct {
	Name string `json:"name"`
	inner
	Inner  *inner             `json:"inner"`
	Flag   bool               `json:"flag"`
	Count  int                `json:"count"`
	Long   *int64             `json:"long"`
	Size   uint64             `json:"size"`
	Times  []float64          `json:"times"`
	Lists  [][]int64          `json:"lists"`
	Many   []inner            `json:"many"`
	Counts map[string]float64 `json:"counts"`
	Plain  int64
	Hidden string    `json:"-"`
	Quoted int       `json:"quoted,string"`
	When   time.Time `json:"when"`
	Bytes  []byte    `json:"bytes"`
}

// decoded returns the line as encoding/json reads it, with the values of its keys as Scan has found them.
func decoded(line string) (known bool, values map[string]json.RawMessage, err error) {
	values = map[string]json.RawMessage{}
	known = Of[outer]().Scan([]byte(line), func(key string, value []byte) { values[key] = value })
	return known, values, json.Unmarshal([]byte(line), new(outer))
}

func TestScan(t *testing.T) {
	for _, c := range []struct {
		line  string
		known bool
	}{
		{`{}`, true},
		{`{"name":"add","flag":true,"count":-12,"long":123456789012345678,"size":0}`, true},
		{`{"low":1.5e-9,"inner":{"low":0,"name":"x"},"many":[{},{"low":1E+2}],"Plain":1}`, true},
		{`{"times":[0.5,-1,2e9],"lists":[[],[1,2]],"counts":{"a":1,"b\"":2.5},"many":[]}`, true},
		{`{"name":"\u003c\\\/ \t µ"}`, true},
		{`{"name":"\u00"}`, false},
		{`{"name":"\x"}`, false},
		{"{\"name\":\"\n\"}", false},
		{`{"name":null}`, false},
		{`{"Name":"other spelling"}`, false},
		{`{"name": "space"}`, false},
		{`{"name":"a"} `, false},
		{`{"name":"a"}}`, false},
		{`{"name":"a",}`, false},
		{`{"name":"a"`, false},
		{`{"name":1}`, false},
		{`{"flag":tru}`, false},
		{`{"flag":truefalse}`, false},
		{`{"count":1.0}`, false},
		{`{"count":01}`, false},
		{`{"count":1e3}`, false},
		{`{"count":12345678901}`, false},
		{`{"size":-1}`, false},
		{`{"times":[1,]}`, false},
		{`{"times":[1 2]}`, false},
		{`{"times":[.5]}`, false},
		{`{"times":[5.]}`, false},
		{`{"times":[1e999]}`, false},
		{`{"times":[1e]}`, false},
		{`{"times":[` + strings.Repeat("9", 400) + `]}`, false},
		{`{"times":["1"]}`, false},
		{`{"lists":[1]}`, false},
		{`{"counts":{"a":"b"}}`, false},
		{`{"counts":{"a"1}}`, false},
		{`{"other":1}`, false},
		{`{"Hidden":"a"}`, false},
		{`{"quoted":"1"}`, false},
		{`{"when":"2026-01-01T00:00:00Z"}`, false},
		{`{"bytes":"YQ=="}`, false},
		{`[]`, false},
		{``, false},
	} {
		known, values, err := decoded(c.line)
		if known != c.known {
			t.Errorf("%s: known is %v, want %v", c.line, known, c.known)
		}
		if known && err != nil {
			t.Errorf("%s: known, but encoding/json says: %v", c.line, err)
		}
		checkValues(t, c.line, known, values)
	}
}

// checkValues checks that Scan has found all keys of a line that it knows, with their values.
func checkValues(t *testing.T, line string, known bool, values map[string]json.RawMessage) {
	if !known {
		return
	}
	var want map[string]json.RawMessage
	if err := json.Unmarshal([]byte(line), &want); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(want) != fmt.Sprint(values) {
		t.Errorf("%s: the values of its keys are %s, want %s", line, values, want)
	}
	if name, has := values["name"]; has {
		var text string
		if err := json.Unmarshal(name, &text); err != nil || Text(name) != text {
			t.Errorf("%s: Text(%s) = %q, want %q (%v)", line, name, Text(name), text, err)
		}
	}
}

// FuzzScan checks that lines which Scan knows are lines that encoding/json decodes into the type, with the same values.
func FuzzScan(f *testing.F) {
	for _, line := range []string{
		`{"name":"add\u0020µ","flag":true,"count":-12,"long":123456789012345678,"size":0,"Plain":7}`,
		`{"low":1.5e-9,"inner":{"low":0,"name":"x"},"many":[{},{"low":1E+2}],"when":"x","bytes":"","quoted":"1"}`,
		`{"times":[0.5,-1,2e9],"lists":[[],[1,2]],"counts":{"a":1,"b\"":2.5},"many":[],"name":"a","name":"b"}`,
		"{\"name\":\"\xff\"}",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		known, values, err := decoded(line)
		if known && err != nil {
			t.Fatalf("%q: known, but encoding/json says: %v", line, err)
		}
		checkValues(t, line, known, values)
	})
}
