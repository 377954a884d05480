package wire

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"zonemark/invocations"

	"github.com/google/go-cmp/cmp"
	"github.com/vmihailenco/msgpack/v5"
)

var update = flag.Bool("update", false, "write the golden files anew")

// structPaths lists the paths of the structs in a message. A path is a list of array indexes from the outside in, in
// which * stands for every element of a list.
func structPaths(m Message) []string {
	var paths []string
	var walk func(t reflect.Type, path string, first int)
	walk = func(t reflect.Type, path string, first int) {
		switch t.Kind() {
		case reflect.Pointer:
			walk(t.Elem(), path, first)
		case reflect.Slice:
			walk(t.Elem(), path+"/*", 0)
		case reflect.Struct:
			paths = append(paths, path)
			for i, f := range (structs{}).of(t) {
				walk(t.FieldByIndex(f.index).Type, fmt.Sprintf("%s/%d", path, first+i), 0)
			}
		}
	}
	walk(reflect.TypeOf(m), "", 1) // the kind comes first
	return paths
}

// structsAt lists the structs at a path of a message.
func structsAt(v reflect.Value, path string, first int) []reflect.Value {
	step, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch {
	case v.Kind() == reflect.Pointer:
		return structsAt(v.Elem(), path, first)
	case step == "":
		return []reflect.Value{v}
	case step == "*":
		var all []reflect.Value
		for i := range v.Len() {
			all = append(all, structsAt(v.Index(i), rest, 0)...)
		}
		return all
	}
	i, _ := strconv.Atoi(step)
	return structsAt(v.FieldByIndex((structs{}).of(v.Type())[i-first].index), rest, 0)
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
	steps := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
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

// golden compares a payload with a golden file, which is a hexadecimal dump, and returns the payload in the file.
func golden(t *testing.T, name string, got []byte) []byte {
	t.Helper()
	path := filepath.Join("testdata", "golden", name+".golden")
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
		t.Errorf("%s: the encoding changed; if peers of the last release still read it, run with -update\n%s", path,
			cmp.Diff(hex.Dump(want), hex.Dump(got)))
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

// TestGolden pins the bytes of every message, and the message that they decode to.
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

// TestGoldenOfLaterVersion reads messages with further fields at the end of every struct, as a later version would send
// them.
func TestGoldenOfLaterVersion(t *testing.T) {
	further := []any{[]any{"new", map[string]any{"k": []byte{1, 2}}, nil}, -1, 2.5, true, strings.Repeat("x", 300)}
	for name, m := range everyMessage() {
		t.Run(name, func(t *testing.T) {
			frame, err := newEncoder().frame(m)
			if err != nil {
				t.Fatal(err)
			}
			payload := frame[headerBytes:]
			for _, path := range slices.Backward(structPaths(m)) { // the innermost first, so that the other paths stay valid
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

// TestFewerFields reads messages of an earlier version, which lack the last field of a struct. The field is then zero.
func TestFewerFields(t *testing.T) {
	for name, m := range everyMessage() {
		for _, path := range structPaths(m) {
			t.Run(name+path, func(t *testing.T) {
				payload := readGolden(t, filepath.Join("testdata", "golden", name+".golden"))
				fewer := rewrite(t, payload, path, func(a []any) []any { return a[:len(a)-1] })
				want := everyMessage()[name]
				for _, v := range structsAt(reflect.ValueOf(want), path, 1) {
					fields := (structs{}).of(v.Type())
					v.FieldByIndex(fields[len(fields)-1].index).SetZero()
				}
				got, err := newDecoder().decode(fewer)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("a missing field changes more than itself (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestTimingsAreNoList checks that a list of numbers in place of the timings of a result is refused.
func TestTimingsAreNoList(t *testing.T) {
	for field, timings := range (structs{}).of(reflect.TypeFor[invocations.Result]()) {
		if timings.name != "SamplesNS" {
			continue
		}
		payload := readGolden(t, filepath.Join("testdata", "golden", "result.golden"))
		payload = rewrite(t, payload, "/1", func(a []any) []any { a[field] = []any{1.5, 2.5}; return a })
		_, err := newDecoder().decode(payload)
		want := "field Result: field SamplesNS: want timings (a binary field) or nil"
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
