package table

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDialects(t *testing.T) {
	for _, c := range []struct {
		file    string
		dialect Dialect
		runtime []float64
		numbers map[string]float64 // of the first row
		texts   map[string]string
	}{
		{"sweep.csv", Sweep, []float64{822356. / 128}, map[string]float64{"t": 1, "m": 4, "n": 4, "r": 1, "c": 1,
			"input0_buf_size_mb": 2},
			map[string]string{"binary_type": "maximum", "math_fidelity": "HiFi4", "output_df": "Int8",
				"output_ublock_order": "r"}},
		{"sweep-not-applicable.csv", Sweep, []float64{803195. / 128},
			map[string]float64{"m": 2, "input1_bw": math.NaN()}, map[string]string{"unary_type": "cosine"}},
		{"compact-bom.csv", Compact, []float64{402, 753, 1541, 1625, 5807}, map[string]float64{"c": 2, "t": 1},
			map[string]string{"input0_df": "Bfp8_b"}},
		{"compact-leading-zeros.csv", Compact, []float64{297, 701}, map[string]float64{"z": 1, "blocks": 1}, nil},
		{"sparse.csv", Sparse, []float64{5830, 15349}, map[string]float64{"m": 7, "k": 16, "u": 4, "nz_strips": 2,
			"nz_tiles": 39}, nil},
		{"verbose.csv", Verbose, []float64{1100, 4010}, map[string]float64{"m": 2, "total_runtime": 139520,
			"total_runtime[2]": 140800},
			map[string]string{"core_label": "1,1", "core_label[2]": "2,1"}},
	} {
		t.Run(c.file, func(t *testing.T) {
			got, err := ReadFile(filepath.Join("testdata", c.file))
			if err != nil {
				t.Fatal(err)
			}
			if got.Dialect != c.dialect {
				t.Errorf("dialect %s, want %s", got.Dialect, c.dialect)
			}
			if diff := cmp.Diff(c.runtime, got.Runtime[:len(c.runtime)]); diff != "" {
				t.Error(diff)
			}
			if got.Lines[0] != 2 {
				t.Errorf("line %d, want 2", got.Lines[0])
			}
			for name, want := range c.numbers {
				if n := got.Number(name); n == nil || n[0] != want && !math.IsNaN(want) ||
					math.IsNaN(want) != math.IsNaN(n[0]) {
					t.Errorf("%s: got %v, want %g", name, n, want)
				}
			}
			for name, want := range c.texts {
				if s := got.Text(name); s == nil || s[0] != want {
					t.Errorf("%s: got %v, want %s", name, s, want)
				}
			}
		})
	}
}

func read(text string) (*Table, error) { return Read(strings.NewReader(text), "f.csv") }

func TestForgiving(t *testing.T) {
	const want = 1531.0
	for name, text := range map[string]string{
		"CRLF":             "t,mblock_m,runtime\r\n1,2,1531\r\n",
		"byte order mark":  "\ufefft,mblock_m,runtime\n1,2,1531\n",
		"blank line":       "t,mblock_m,runtime\n\n1,2,1531\n\n",
		"spaces":           " t , mblock_m, runtime\n 1, 02 , 1531\n",
		"case and dashes":  "T,Mblock-M,RUNTIME\n1,2,1531\n",
		"comma at the end": "t,mblock_m,runtime,\n1,2,1531,\n",
		"no line feed":     "t,mblock_m,runtime\n1,2,1531",
		"same variable":    "t,mblock_m,output_mb_r,runtime\n1,2,02,1531\n",
		"total of one": "t,mblock_m,first-input-idx-recorded,last-input-idx-recorded,total-runtime\n" +
			"1,2,7,7,1531\n",
		"runtime and total": "t,m,first-input-idx-recorded,last-input-idx-recorded,total-runtime,runtime\n" +
			"1,2,0,9,5,1531\n",
		"bool": "t,l1_acc,mblock_m,runtime\n1,False,2,1531\n",
	} {
		got, err := read(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Runtime[0] != want || got.Number("m")[0] != 2 || got.Number("t")[0] != 1 {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestErrors(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":       {"", "f.csv: the file is empty"},
		"header only": {"t,runtime\n", "f.csv: no rows"},
		"word for number": {"t,mblock_m,runtime\n1,2,5\n1,two,6\n",
			`f.csv: line 3: column mblock_m: "two" is not a number`},
		"not finite": {"t,runtime\n1,inf\n", `line 2: column runtime: "inf" is not a number`},
		"negative": {"t,runtime\n1,-5\n",
			"f.csv: line 2: column runtime: the runtime is -5 cycles; it must be above 0"},
		"zero": {"t,runtime\n1,0\n", "line 2: column runtime: the runtime is 0 cycles"},
		"gap in the runtime": {"t,runtime\n1,2\n1,N/A\n",
			"f.csv: line 3: column runtime is empty or N/A, but is needed"},
		"renamed": {"t,first-input-idx-recordd,last-input-idx-recorded,total-runtime\n1,0,1,5\n",
			`f.csv: line 1: no column first_input_idx_recorded; the nearest is "first-input-idx-recordd"`},
		"inputs backwards": {"t,first-input-idx-recorded,last-input-idx-recorded,total-runtime\n1,5,4,5\n",
			"line 2: column last-input-idx-recorded: inputs 5 to 4 are none"},
		"torn row": {"t,m,runtime\n1,2,3\n1,2\n",
			"f.csv: line 3: the row has another number of columns than the header"},
		"quote": {"t,runtime\n1,\"2\n", "f.csv: line 2"},
		"contradiction": {"m,output_mb_r,runtime\n1,2,3\n",
			`line 2: columns m and output_mb_r are the same variable, but one has "1"`},
		"two runtimes":   {"m,runtime,Runtime\n1,2,3\n", "columns runtime and Runtime are the same variable"},
		"unnamed column": {"t,,runtime\n1,5,3\n", `line 2: column 2 has "5" but no name in line 1`},
	} {
		_, err := read(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}

func TestRequire(t *testing.T) {
	got, err := read("t,mblok_m,mblock_n,ublock_rt,runtime\n1,2,N/A,1,5\n")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"m": `f.csv: line 1: no column mblock_m or output_mb_r or m; the nearest is "mblok_m"`,
		"n": "f.csv: line 2: column mblock_n is empty or N/A, but is needed",
	} {
		if err := got.Require("t", name); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if err := got.Require("t", "r"); err != nil {
		t.Error(err)
	}
}

func TestRoles(t *testing.T) {
	for name, want := range map[string]Role{
		"runtime": Outcome, "average_math_utilization_all_inputs": Outcome,
		"input0_bw_across_cores_total_runtime": Outcome, "estimate": Outcome, "test_id": Outcome,
		"m": Choice, "output_df": Choice, "vector_mode": Choice, "index0": Choice,
		"nz_tiles": Choice, "temperature": Unknown, "total_wait_tile": Outcome,
	} {
		if got := role(name); got != want {
			t.Errorf("%s: got %d, want %d", name, got, want)
		}
	}
}

func TestSelectAndSlice(t *testing.T) {
	all, err := ReadFile(filepath.Join("testdata", "sparse.csv"))
	if err != nil {
		t.Fatal(err)
	}
	selected, sliced := all.Select([]int{2, 0}), all.Slice(1, 3)
	if selected.Rows != 2 || selected.Runtime[0] != all.Runtime[2] || selected.Lines[1] != all.Lines[0] ||
		selected.Number("m")[0] != all.Number("m")[2] ||
		selected.Text("math_fidelity")[1] != all.Text("math_fidelity")[0] {
		t.Errorf("selected %+v", selected)
	}
	if sliced.Rows != 2 || sliced.Runtime[0] != all.Runtime[1] || sliced.Number("n")[1] != all.Number("n")[2] {
		t.Errorf("sliced %+v", sliced)
	}
}

func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.csv")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("core-label,runtime-last-input,core-label,runtime-last-input\n1,2,3,4\n")
	f.Add("core-label,first-input-idx-recorded,last-input-idx-recorded,total-runtime,total-runtime\n,1,2,3,4\n")
	f.Fuzz(func(t *testing.T, text string) {
		table, err := read(text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.csv: ") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		for i, v := range table.Runtime {
			if !(v > 0) || math.IsInf(v, 0) {
				t.Errorf("runtime %g in row %d", v, i)
			}
		}
		for i := range table.Columns {
			c := &table.Columns[i]
			if len(c.Number)+len(c.Text) != table.Rows {
				t.Errorf("column %s has %d numbers and %d texts of %d rows",
					c.Name, len(c.Number), len(c.Text), table.Rows)
			}
			c.Cell(0)
			if table.Column(c.Name) == nil {
				t.Errorf("column %s is not found by its name", c.Name)
			}
		}
	})
}

// TestWrite writes a table with two more columns and reads it again. The added columns are not taken for columns of the
// sweep.
func TestWrite(t *testing.T) {
	all, err := ReadFile(filepath.Join("testdata", "sparse.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	estimate := Column{Header: "estimate", Number: []float64{1, 2, 3, 4, math.NaN()}}
	if err := all.Write(&out, estimate, Column{Header: "note", Text: []string{"a", "b,c", "", "d", "e"}}); err != nil {
		t.Fatal(err)
	}
	again, err := read(out.String())
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if diff := cmp.Diff(all.Runtime, again.Runtime); diff != "" {
		t.Error(diff)
	}
	if c := again.Column("estimate"); c.Role != Outcome || c.Number[3] != 4 || !math.IsNaN(c.Number[4]) {
		t.Errorf("estimate: %+v", c)
	}
	if c := again.Column("note"); c.Text[1] != "b,c" {
		t.Errorf("note: %+v", c)
	}
}

// Rows of zonemark's sweeps that were not measured are left out and counted; a foreign column named status means
// nothing.
func TestUnmeasured(t *testing.T) {
	const header = "mblock_m,runtime,runtime-source,status\n"
	s, err := Read(strings.NewReader(header+"1,N/A,N/A,not applied\n2,20,median_ns,ok\n3,N/A,N/A,crashed\n"), "f.csv")
	if err != nil {
		t.Fatal(err)
	}
	if s.Rows != 1 || s.Runtime[0] != 20 || s.Where(0) != "f.csv: line 3" ||
		s.Unmeasured != "1 crashed, 1 not applied" {
		t.Errorf("%d rows, runtimes %v, %s, unmeasured %q", s.Rows, s.Runtime, s.Where(0), s.Unmeasured)
	}
	_, err = Read(strings.NewReader(header+"1,N/A,N/A,not applied\n"), "f.csv")
	if !errors.Is(err, ErrNotMeasured) || !strings.Contains(err.Error(), "1 not applied") {
		t.Errorf("nothing measured: %v", err)
	}
	s, err = Read(strings.NewReader("mblock_m,runtime,status\n1,10,good\n2,20,bad\n"), "f.csv")
	if err != nil || s.Rows != 2 || s.Unmeasured != "" {
		t.Errorf("a foreign status: %v", err)
	}
}
