package invocations

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmihailenco/msgpack/v5"
)

var update = flag.Bool("update", false, "write the golden files anew")

// structs says where the nested structs of each message are, as paths of array indexes; * is every element of a list.
var structs = map[string][]string{
	"hello":     {""},
	"describe":  {""},
	"described": {"", "3/*", "3/*/0", "3/*/1/*", "3/*/1/*/1/*", "3/*/1/*/2/*"},
	"build":     {"", "3"},
	"built":     {""},
	"execute":   {"", "7", "9/*", "11", "12", "13"},
	"started":   {""},
	"result":    {"", "6", "20", "21", "22/*", "38/*", "39"},
	"goodbye":   {""},
}

// structName is the name in errors of the struct at a path.
func structName(message, path string) string {
	switch message + ":" + path {
	case "described:3/*":
		return "Description"
	case "described:3/*/0", "build:3", "execute:7":
		return "Artifact"
	case "described:3/*/1/*":
		return "Function"
	case "described:3/*/1/*/1/*", "execute:9/*":
		return "Argument"
	case "described:3/*/1/*/2/*":
		return "Parameter"
	case "execute:11":
		return "Measure"
	case "execute:12":
		return "Limits"
	case "execute:13":
		return "Verification"
	case "result:6":
		return "Crash"
	case "result:20":
		return "Discarded"
	case "result:21":
		return "Summary"
	case "result:22/*":
		return "Dispatch"
	case "result:38/*":
		return "Count"
	case "result:39":
		return "Canary"
	}
	return everyMessage()[message].Kind().String()
}

// rewrite applies change to the arrays at a path of an encoded message.
func rewrite(t *testing.T, payload []byte, path string, change func([]any) []any) []byte {
	t.Helper()
	var tree any
	if err := msgpack.Unmarshal(payload, &tree); err != nil {
		t.Fatal(err)
	}
	var walk func(v any, path []string) any
	walk = func(v any, path []string) any {
		array, ok := v.([]any)
		if !ok {
			return v // an absent struct or list
		}
		if len(path) == 0 {
			return change(array)
		}
		for i := range array {
			if path[0] == "*" || path[0] == fmt.Sprint(i) {
				array[i] = walk(array[i], path[1:])
			}
		}
		return array
	}
	steps := strings.Split(path, "/")
	if path == "" {
		steps = nil
	}
	tree = walk(tree, steps)
	var out bytes.Buffer
	enc := msgpack.NewEncoder(&out)
	enc.SetSortMapKeys(true)
	enc.UseCompactInts(true)
	if err := enc.Encode(tree); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// golden compares a payload with a golden file of hexadecimal dump, and returns what the file holds.
func golden(t *testing.T, name string, got []byte) []byte {
	t.Helper()
	path := filepath.Join("testdata", "wire", name+".golden")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(hex.Dump(got)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := readGolden(t, path)
	if !bytes.Equal(got, want) {
		t.Errorf("%s: the encoding changed; if peers of the last release still read it, run with -update\n%s", path, cmp.Diff(hex.Dump(want), hex.Dump(got)))
	}
	return want
}

func readGolden(tb testing.TB, path string) []byte {
	tb.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	var out []byte
	for line := range strings.Lines(string(text)) {
		if len(line) < 60 {
			tb.Fatalf("%s: the line %q is no hexadecimal dump", path, line)
		}
		b, err := hex.DecodeString(strings.Join(strings.Fields(line[10:58]), ""))
		if err != nil {
			tb.Fatalf("%s: %v", path, err)
		}
		out = append(out, b...)
	}
	return out
}

// TestGolden pins the bytes of every message, and what they decode to.
func TestGolden(t *testing.T) {
	for name, m := range everyMessage() {
		t.Run(name, func(t *testing.T) {
			frame, err := newEncoder().frame(m)
			if err != nil {
				t.Fatal(err)
			}
			got, err := newDecoder().decode(golden(t, name, frame[headerBytes:]))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(m, got); diff != "" {
				t.Errorf("the golden bytes decode to something else (-want +got):\n%s", diff)
			}
		})
	}
}

// TestGoldenOfLaterVersion reads messages with further fields at the end of every struct, as a later version would send them.
func TestGoldenOfLaterVersion(t *testing.T) {
	further := []any{[]any{"new", map[string]any{"k": []byte{1, 2}}, nil}, -1, 2.5, true, strings.Repeat("x", 300)}
	for name, m := range everyMessage() {
		t.Run(name, func(t *testing.T) {
			frame, err := newEncoder().frame(m)
			if err != nil {
				t.Fatal(err)
			}
			payload := frame[headerBytes:]
			for _, path := range slices.Backward(structs[name]) { // the innermost first: paths then stay valid
				payload = rewrite(t, payload, path, func(a []any) []any { return append(a, further...) })
			}
			got, err := newDecoder().decode(golden(t, "later-"+name, payload))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(m, got); diff != "" {
				t.Errorf("further fields change what is read (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMissingField(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(structs)) {
		for _, path := range structs[name] {
			t.Run(name+":"+path, func(t *testing.T) {
				length := 0
				payload := rewrite(t, readGolden(t, filepath.Join("testdata", "wire", name+".golden")), path, func(a []any) []any {
					length = len(a)
					return a[:len(a)-1]
				})
				_, err := newDecoder().decode(payload)
				want := fmt.Sprintf("missing field %d of %s", length-1, structName(name, path))
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q", err, want)
				}
			})
		}
	}
}
