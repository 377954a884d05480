package suite

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"zonemark/invocations"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// testOptions returns options of runtimes, as a caller gives them.
func testOptions() []invocations.Option {
	return []invocations.Option{
		{Name: "device"}, {Name: "task-threads"}, {Name: "transfers"}, {Name: "resident-inputs"}, {Name: "chips"},
		{Name: "compile-options"}, {Name: "compile-cache"}, {Name: "compile-flags"}, {Name: "provider"},
		{Name: "cycle-limit"}, {Name: "l1"}, {Name: "prepare"}, {Name: "ignore-failure"}, {Name: "simulator", Kind: invocations.FileOption},
		{Name: "compile-options-file", Kind: invocations.FileOption},
		{Name: "plugin", Kind: invocations.NameOrFileOption},
		{Name: "cflags", Foreign: func(value string) error {
			if value == "-O3" {
				return nil
			}
			return fmt.Errorf("the flag %q loads code", value)
		}},
	}
}

// show writes invocations without zero fields, one a line, with the folder of the suites shortened.
func show(list []invocations.Invocation, folder string) string {
	var b bytes.Buffer
	for _, v := range list {
		showStruct(&b, reflect.ValueOf(v))
		b.WriteByte('\n')
	}
	return strings.ReplaceAll(filepath.ToSlash(b.String()), filepath.ToSlash(folder), "$SUITES")
}

func showStruct(b *bytes.Buffer, v reflect.Value) {
	b.WriteByte('{')
	space := ""
	for i := range v.NumField() {
		f := v.Field(i)
		if f.IsZero() {
			continue
		}
		fmt.Fprintf(b, "%s%s:", space, v.Type().Field(i).Name)
		space = " "
		switch {
		case f.Kind() == reflect.Struct:
			showStruct(b, f)
		case f.Kind() == reflect.Slice && f.Type().Elem().Kind() == reflect.Struct:
			for j := range f.Len() {
				showStruct(b, f.Index(j))
			}
		case f.Kind() == reflect.String:
			fmt.Fprintf(b, "%q", f.String())
		default:
			fmt.Fprint(b, f)
		}
	}
	b.WriteByte('}')
}

func TestExpandGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/suites/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			suite, err := Parse(file, testOptions())
			if err != nil {
				t.Fatal(err)
			}
			base := invocations.Invocation{Measure: invocations.Measure{CPU: -1}}
			list, err := suite.Expand(base, func(v *invocations.Invocation) { v.Limits.MemoryBytes /= 2 })
			if err != nil {
				t.Fatal(err)
			}
			folder, err := filepath.Abs("testdata/suites")
			if err != nil {
				t.Fatal(err)
			}
			got := show(list, folder)
			golden := strings.TrimSuffix(file, ".toml") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// expandText expands a suite that is given as text, in a folder of its own.
func expandText(text string) ([]invocations.Invocation, error) {
	suite, err := ParseText("some/suite.toml", text, nil)
	if err != nil {
		return nil, err
	}
	return suite.Expand(invocations.Invocation{}, nil)
}

// repeated reports whether two invocations have the same name.
func repeated(list []invocations.Invocation) bool {
	names := map[string]bool{}
	for i := range list {
		names[list[i].Name] = true
	}
	return len(names) < len(list)
}

func names(list []invocations.Invocation) string {
	var all []string
	for _, v := range list {
		all = append(all, v.Name)
	}
	return strings.Join(all, " ")
}

func TestExpandNames(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"file name", "artifact = 'd/k.hat'", "k"},
		{"function", "artifact = 'k.hat'\nfunction = 'f'", "f"},
		{"appended in file order", "artifact = 'k.hat'\naxes.b = [1, 2]\naxes.a = ['x', true, 1.5]",
			"k/b=1/a=x k/b=1/a=true k/b=1/a=1.5 k/b=2/a=x k/b=2/a=true k/b=2/a=1.5"},
		{"those without a placeholder are appended", "artifact = 'k.hat'\nname = 'n{a}'\naxes.a = [1]\naxes.b = [2]",
			"n1/b=2"},
		{"escaped braces", "artifact = 'k.hat'\nname = '{{a}}'\naxes.a = [1]", "{a}/a=1"},
		{"values are literal", "artifact = 'k.hat'\naxes.function = ['{f}']", "{f}/function={f}"},
		{"step short of the end", "artifact = 'k.hat'\nname = '{a}'\naxes.a = {from = 1, to = 9, step = 3}", "1 4 7"},
		{"one point", "artifact = 'k.hat'\nname = '{a}'\naxes.a = {from = 5, to = 5, step = 3}", "5"},
		{"end of 64 bits",
			"artifact = 'k.hat'\nname = '{a}'\naxes.a = {from = 9223372036854775806, to = 9223372036854775807, step " +
				"= 1}",
			"9223372036854775806 9223372036854775807"},
		{"whole of 64 bits",
			"artifact = 'k.hat'\nname = '{a}'\naxes.a = {from = -9223372036854775808, to = 9223372036854775807, step " +
				"= 9223372036854775807}",
			"-9223372036854775808 -1 9223372036854775806"},
		{"powers to the end of 64 bits",
			"artifact = 'k.hat'\nname = '{a}'\naxes.a = {from = 1000000000, to = 9223372036854775807, times = 1000000}",
			"1000000000 1000000000000000"},
		{"tenths", "artifact = 'k.hat'\nname = '{a}'\naxes.a = {from = 0.1, to = 0.7, step = 0.1}",
			"0.1 0.2 0.3 0.4 0.5 0.6 0.7"},
		{"downwards of zero", "artifact = 'k.hat'\nname = '{a}'\naxes.a = {from = -0.3, to = 0, step = 0.1}",
			"-0.3 -0.2 -0.1 0"},
		{"powers of a fraction", "artifact = 'k.hat'\nname = '{a}'\naxes.a = {from = 0.1, to = 2.7, times = 3}",
			"0.1 0.3 0.9 2.7"},
		{"factor with a point", "artifact = 'k.hat'\nname = '{a}'\naxes.a = {from = 16, to = 54, times = 1.5}",
			"16 24 36 54"},
		{"largest float",
			"artifact = 'k.hat'\nname = '{a}'\naxes.a = {from = 1e308, to = 1.7976931348623157e308, times = 1.5}",
			"1e+308 1.5e+308"},
	} {
		list, err := expandText("[[invocation]]\n" + c.text)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got := names(list); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestExpandPrecedence(t *testing.T) {
	suite, err := ParseText("s.toml", `
		[defaults]
		seed = 2
		cpu = 2
		rounds = 2
		params = { a = 2, b = 2, c = 2 }
		arguments = { x = 2, y = 2 }
		[[invocation]]
		artifact = "k.hat"
		cpu = 3
		params = { b = 3 }
		arguments = { y = 3 }
		axes = { rounds = [4], c = [4] }`, nil)
	if err != nil {
		t.Fatal(err)
	}
	base := invocations.Invocation{Measure: invocations.Measure{Seed: 1, CPU: 1, MinIterations: 1},
		Parameters: map[string]string{"a": "1", "z": "1"}}
	list, err := suite.Expand(base, func(v *invocations.Invocation) { v.Measure.CPU = 5 })
	if err != nil {
		t.Fatal(err)
	}
	v := list[0]
	if want := (invocations.Measure{Seed: 2, CPU: 5, Launches: 4, MinIterations: 1}); v.Measure != want {
		t.Errorf("got %+v, want %+v", v.Measure, want)
	}
	if diff := cmp.Diff(map[string]string{"a": "2", "b": "3", "c": "4", "z": "1"}, v.Parameters); diff != "" {
		t.Errorf("parameters (-want +got)\n%s", diff)
	}
	if len(v.Arguments) != 2 || v.Arguments[0].Value != "2" || v.Arguments[1].Value != "3" {
		t.Errorf("arguments %+v", v.Arguments)
	}
	if base.Parameters["a"] != "1" {
		t.Error("the base was changed")
	}
}

func TestErrors(t *testing.T) {
	const entry = "[[invocation]]\nartifact = 'k.hat'\n" // two lines
	for _, c := range []struct{ text, want string }{
		{"", "s.toml: nothing to measure"},
		{"a = ", "s.toml:1: a: "},
		{"\n\nx = [1,\n2\n", "s.toml:"},
		{entry + "artifact = 'l.hat'", "s.toml:3: "},
		{"default = 1", `s.toml:1: default: unknown key; did you mean "defaults"?`},
		{"\n[[invocations]]", `s.toml:2: invocations: unknown key; did you mean "invocation"?`},
		{"[invocation]", "s.toml:1: invocation: is a table; write an array of tables, [[invocation]]"},
		{"invocation = [1]", "s.toml:1: invocation: is an array; write an array"},
		{"trace_rules = 'a'\n" + entry, "s.toml:1: trace_rules: is a text; write an array of texts"},
		{"\ntrace_rules = []\n" + entry, "s.toml:2: trace_rules: is empty"},
		{"trace_rules = [\n'(?P<dispatch>.)',\n7]\n" + entry, "s.toml:3: trace_rules: holds an integer"},
		{"trace_rules = [\n'(?P<dispatch>.)',\n'(']\n" + entry,
			`s.toml:3: trace_rules: trace rule "(": error parsing regexp`},
		{"trace_rule = ['a']\n" + entry, `s.toml:1: trace_rule: unknown key; did you mean "trace_rules"?`},
		{entry + "trace_rules = ['a']", "s.toml:3: invocation.trace_rules: belongs to the suite as a whole"},
		{"defaults = 3", "s.toml:1: defaults: is an integer; write a table, [defaults]"},
		{entry + "cflags = '-B.'",
			`s.toml:3: invocation.cflags: the flag "-B." loads code; leave it out, or give it on the command line, by --cflags`},
		{"[defaults]\ncflags = '-B.'\n" + entry, `s.toml:2: defaults.cflags: the flag "-B."`},
		{entry + "[invocation.axes]\ncflags = ['-O3', '-B.']", `the flag "-B."`},
		{entry + "min_tim = '1s'", `s.toml:3: invocation.min_tim: unknown key; did you mean "min_time"?`},
		{entry + "zzzzzzzzz = 1", "s.toml:3: invocation.zzzzzzzzz: unknown key: want one of name, runtime, "},
		{"[[invocation]]\nname = 'x'", "s.toml:1: invocation: lacks an artifact"},
		{"[[invocation]]\ncommand = []", "s.toml:2: invocation.command: is an array; want an array of at least one word"},
		{"[[invocation]]\ncommand = 'ls'", "s.toml:2: invocation.command: is a text; want an array of at least one"},
		{"[[invocation]]\ncommand = ['ls', []]", "s.toml:2: invocation.command: word 2 is an array; want a text"},
		{"[[invocation]]\ncommand = ['']", "s.toml:2: invocation.command: the program is empty"},
		{"[[invocation]]\ncommand = ['ls', '{a}']", "s.toml:2: invocation.command: the placeholder {a} names no axis"},
		{"[[invocation]]\ncommand = ['ls']\nartifact = 'a'", "s.toml:1: invocation: has a command, and an artifact"},
		{"[[invocation]]\nmodel = 'bert:tiny'\nartifact = 'a'", "s.toml:1: invocation: has a model, and an artifact"},
		{"[[invocation]]\nmodel = 'bert:tiny'\nfunction = 'f'", "s.toml:1: invocation: has a model, and an artifact"},
		{"[[invocation]]\nmodel = 'bert:tiny'\ncommand = ['ls']", "s.toml:1: invocation: has a model, and an artifact"},
		{"[[invocation]]\nmodel = 'bert:tiny'\narguments.x = '1'", "s.toml:1: invocation: has a model and arguments"},
		{"[[invocation]]\nmodel = 'bert:{size}'", "s.toml:2: invocation.model: the placeholder {size} names no axis"},
		{"[[invocation]]\naxes.command = ['ls']", "s.toml:2: invocation.axes.command: the command cannot be an axis"},
		{entry + "name = 3", "s.toml:3: invocation.name: is an integer; want a text in quotes"},
		{entry + "name = ''", "s.toml:3: invocation.name: is empty"},
		{entry + "restore = 'allways'", `allways does not say when to restore; did you mean "always"?; want one of auto, always, never`},
		{entry + "restore = true", "true does not say when to restore; want one of auto, always, never"},
		{entry + "placement = 'worm'", `worm is no placement; want one of vary, fixed, malloc`},
		{entry + "mode = 'worm'", `worm is no mode; did you mean "warm"?; want one of warm, cold`},
		{entry + "min_time = 3",
			`s.toml:3: invocation.min_time: is an integer; want a text with a unit, such as "100ms"`},
		{entry + "min_time = '3'", `"3" is no duration: write a number with a unit`},
		{entry + "min_time = '-3s'", "is negative"},
		{entry + "memory = '3'", `"3" is no size`},
		{entry + "memory = '-3GiB'", "is negative"},
		{entry + "precision = nan", "NaN is out of range"},
		{entry + "precision = 1.0", "1 is out of range"},
		{entry + "precision = 'a'", "is a text; want a number, such as 0.01"},
		{entry + "rounds = 0", "0 is out of range: want an integer from 1"},
		{entry + "rounds = 1.5", "is a floating-point number; want an integer"},
		{entry + "cpu = -2", "-2 is out of range"},
		{entry + "seed = -1", "-1 is out of range"},
		{entry + "input_sets_minimum_size_mb = inf", "+Inf is out of range"},
		{entry + "trace = 1", "want true or false"},
		{entry + "mode = ['warm', 'cold']",
			"s.toml:3: invocation.mode: is an array: write lists of values under [invocation.axes]"},
		{entry + "verify.tolerance = -1", "s.toml:3: invocation.verify.tolerance: -1 is out of range"},
		{entry + "verify.ref = 'a'", "s.toml:3: invocation.verify.ref: unknown key"},
		{entry + "verify = 'f'", "s.toml:3: invocation.verify: is a text; write a table, [invocation.verify]"},
		{entry + "params = { K = 1979-05-27 }", "s.toml:3: invocation.params.K: is a date or time; want a text"},
		{entry + "params.K = nan", "NaN is not finite"},
		{entry + "params.'' = 1", "the key is empty"},
		{entry + "arguments.a = 'rndom'", `s.toml:3: invocation.arguments.a: contents "rndom"`},
		{entry + "arguments.a = [1]", "is an array; want a text"},
		{entry + "arguments.a = 'random:{s}'\naxes.s = [-1]", `s.toml:3: invocation.arguments.a: contents "random:-1"`},
		{entry + "name = 'a{m}'\naxes.M = [1]",
			`s.toml:3: invocation.name: the placeholder {m} names no axis; did you mean "M"?`},
		{entry + "name = 'a{'", "no partner: write {{"},
		{entry + "name = 'a}'", "no partner: write }}"},

		{entry + "axes = 3", "s.toml:3: invocation.axes: is an integer; write a table"},
		{entry + "[invocation.axes]", "s.toml:3: invocation.axes: has no axes"},
		{entry + "[invocation.axes]\nM = []", "s.toml:4: invocation.axes.M: has no values"},
		{entry + "[invocation.axes]\nM = 3", "is an integer; want a list"},
		{entry + "[invocation.axes]\nM = [\n1,\n1]", "s.toml:6: invocation.axes.M: the value 1 appears twice"},
		{entry + "[invocation.axes]\nM = [[1]]", "is an array; want a text, a number"},
		{entry + "[invocation.axes]\nM = [inf]", "+Inf is not finite"},
		{entry + "axes.name = ['a']", "the name cannot be an axis"},
		{entry + "axes.params = ['a']", "cannot be an axis"},
		{entry + "axes.'{' = ['a']", "a brace cannot stand"},
		{entry + "axes.'' = ['a']", "the key is empty"},
		{entry + "axes.mode = [\n'warm',\n'hot']", "s.toml:5: invocation.axes.mode: hot is no mode"},
		{entry + "axes.cpu = [1.5]", "want an integer"},
		{entry + "function = 'f'\naxes.function = ['f', 'g']",
			"s.toml:4: invocation.axes.function: is set on line 3 as well"},
		{entry + "params.K = 1\naxes.K = [2]", "s.toml:4: invocation.axes.K: is set on line 3 as well"},

		{entry + "axes.M = {from = 1, to = 2}", "wants either step"},
		{entry + "axes.M = {from = 1, to = 2, step = 1, times = 2}", "wants either step"},
		{entry + "axes.M = {to = 2, step = 1}", "the range lacks from"},
		{entry + "axes.M = {from = 2, step = 1}", "the range lacks to"},
		{entry + "axes.M = {from = 1, to = 2, stop = 1, step = 1}",
			`s.toml:3: invocation.axes.M.stop: unknown key; did you mean "step"?`},
		{entry + "axes.M = {from = '1', to = 2, step = 1}",
			"s.toml:3: invocation.axes.M.from: is a text; want a number"},
		{entry + "axes.M = {from = nan, to = 2, step = 1}", "NaN is not finite"},
		{entry + "axes.M = {from = 1, to = 2, step = 0}", "the step 0 is not positive"},
		{entry + "axes.M = {from = 2, to = 1, step = -1}", "the step -1 is not positive"},
		{entry + "axes.M = {from = 2, to = 1, step = 1}", "from = 2 is above to = 1"},
		{entry + "axes.M = {from = 9223372036854775807, to = 9223372036854775806, step = 1}", "ranges run upwards"},
		{entry + "axes.M = {from = 1, to = 2, times = 1}", "times = 1 does not grow"},
		{entry + "axes.M = {from = 0, to = 2, times = 2}", "from = 0 cannot be multiplied"},
		{entry + "[invocation.axes]\nM = {from = 1, to = 2000, step = 1}\nN = {from = 0.5, to = 1000, step = 0.5}",
			"s.toml:3: invocation.axes: M (2000) × N (2000) multiply to 4000000 invocations, the limit is 1000000"},
		{entry + "axes.M = {from = -9223372036854775808, to = 9223372036854775807, step = 1}",
			"multiply to 18446744073709551616 invocations"},
		{entry + "axes.M = {from = 1e-300, to = 1e300, times = 1.0000000001}", "the limit is 1000000"},
		{"defaults.artifact = 'k.hat'\ndefaults.axes.M = {from = 1, to = 600000, step = 1}\n[[invocation]]\nname = " +
			"'a'\n[[invocation]]\nname = 'b'",
			"s.toml:5: invocation: brings the suite to more than 1000000"},
		{"defaults.artifact = 'k.hat'\ndefaults.axes.M = {from = 1, to = 600000, step = 1}\n[[invocation]]\naxes.N = " +
			"[1, 2]", "s.toml:3: invocation: M (600000) × N (2)"},

		{entry + "axes.Mode = [1]\n[[invocation.exclude]]\nmode = 1",
			`s.toml:5: invocation.exclude.mode: no axis has this name; did you mean "Mode"?`},
		{entry + "axes.M = [1]\n[[invocation.exclude]]", "s.toml:4: invocation.exclude: names no axis"},
		{entry + "axes.M = [1]\n[[invocation.exclude]]\nM = []", "s.toml:5: invocation.exclude.M: has no values"},
		{entry + "axes.M = [1]\n[[invocation.exclude]]\nM = [[]]", "is an array"},
		{entry + "axes.M = [1]\nexclude = {M = 1}",
			"s.toml:4: invocation.exclude: is a table; write an array of tables"},
		{entry + "axes.M = [1]\n[[invocation.exclude]]\nM = 1", "s.toml:1: invocation: excludes remove every point"},
		{entry + "[[defaults.exclude]]\nM = 1", "s.toml:3: defaults.exclude: no invocation has all axes"},
		{entry + "axes.M = [1, 2]\n[[invocation.exclude]]\nM = 3",
			"s.toml:5: invocation.exclude.M: excludes nothing: the axis has no value 3"},
		{entry + "axes = {M = [1, 2], N = [16, 64]}\n[[invocation.exclude]]\nM = [1, 2]\nN = [16, 46]",
			`s.toml:6: invocation.exclude.N: excludes nothing: the axis has no value 46; it has 16, 64`},
		{entry + "axes.M = [1, 2]\n[[defaults.exclude]]\nM = [3, 4]", "s.toml:4: defaults.exclude: excludes nothing: "},
		{entry + "[[invocation]]\nartifact = 'l/k.hat'",
			`s.toml:3: invocation: the name "k" is taken by the entry on line 1`},
		{"a = " + strings.Repeat("[", 100000), "s.toml: values nest deeper than 64"},
		{strings.Repeat(" ", maxSuiteBytes+1), "s.toml: longer than"},
	} {
		suite, err := ParseText("s.toml", c.text, testOptions())
		if err == nil {
			_, err = suite.Expand(invocations.Invocation{}, nil)
		}
		var fault *Error
		if !errors.As(err, &fault) || !strings.HasPrefix(err.Error(), "s.toml") || !strings.Contains(err.Error(),
			c.want) {
			t.Errorf("%.200q:\ngot  %v\nwant %s", c.text, err, c.want)
		}
	}
	if _, err := Parse("none.toml", nil); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(),
		"none.toml") {
		t.Errorf("a missing file: %v", err)
	}
}

func FuzzSuite(f *testing.F) {
	files, err := filepath.Glob("testdata/suites/*.toml")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("\ufeff[[invocation]]\r\nartifact = \"\"\"a\\\r\n\"\"\"\r\n'a b'.\"\\u0041\" = { x = [ {y = 1}, ] }")
	f.Add("trace_rules=['(?P<dispatch>.)',\n\"^(?P<invocation>\\\\d+)\"]\n[defaults]\nmode='cold'")
	f.Add("[[invocation]]\nartifact='a'\n" +
		"axes.M={from=-9223372036854775808,to=9223372036854775807,step=9223372036854775807}")
	f.Add("[[invocation]]\nartifact='a'\naxes.M={from=1e-320,to=1e308,times=1e10}\naxes.N={from=0.1,to=5,step=.1}")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<14 {
			return
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		locateKeys(text) // must end for any text, TOML or not
		suite, err := parse("s.toml", text, append(Keys(), OptionKeys(testOptions())...), 500)
		if err == nil {
			var list []invocations.Invocation
			list, err = suite.Expand(invocations.Invocation{}, nil)
			if err == nil && (len(list) == 0 || len(list) > 500 || repeated(list)) {
				t.Errorf("%d invocations, or some of one name", len(list))
			}
		}
		if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 256<<20 {
			t.Errorf("%d bytes of suite took %d bytes of memory", len(text), after.TotalAlloc-before.TotalAlloc)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "s.toml") {
			t.Errorf("an error without the file: %v", err)
		}
	})
}

// Axes fill shapes and files of arguments, and parameters. The function need not have parameters of their names. Files are relative to
// the suite.
func TestAxesInArguments(t *testing.T) {
	options := []invocations.Option{{Name: "parameter-files", Kind: invocations.ScopedFilesOption}}
	suite, err := ParseText("/data/suite.toml", `
[[invocation]]
artifact = "m.mlir"
function = "f"
parameter_files = "model=w.irpa,../v.irpa,a=/abs/u.irpa"
arguments = { x = "{n}x10xf32=1", y = "y{n}.npy", z = "4xf32=@z.bin" }
params = { workgroups = "{g},1,{m}", k = 3 }
axes = { n = [16, 32], m = [1], g = [2] }
`, options)
	if err != nil {
		t.Fatal(err)
	}
	list, err := suite.Expand(invocations.Invocation{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range []string{"16", "32"} {
		v := list[i]
		want := map[string]string{"n": n, "m": "1", "g": "2", "workgroups": "2,1,1", "k": "3"}
		if v.Name != "f/n="+n+"/m=1/g=2" || !cmp.Equal(v.Parameters, want) || !cmp.Equal(v.Placed, []string{"n", "m", "g"}) {
			t.Errorf("%s: %v, placed %v", v.Name, v.Parameters, v.Placed)
		}
		x, y, z := v.Arguments[0], v.Arguments[1], v.Arguments[2]
		if got := invocations.TensorShape(x.Element, x.Shape); got != n+"x10xf32" || y.Path != filepath.FromSlash("/data/y"+n+".npy") ||
			z.Path != filepath.FromSlash("/data/z.bin") || z.Shape[0] != 4 {
			t.Errorf("%s: %s, %s, %+v", v.Name, got, y.Path, z)
		}
		if got := v.Artifact.Options["parameter-files"]; got != "model=/data/w.irpa,/v.irpa,a=/abs/u.irpa" {
			t.Errorf("parameters %s", got)
		}
	}
}

// Options hold axes, too. Other braces in them stay, and the axes need not be parameters of the function.
func TestAxesInOptions(t *testing.T) {
	s, err := ParseText("s.toml", `
		[[invocation]]
		artifact = "a.c"
		compile_flags = "-DT={T} --pass={other} -DT2={T}"
		axes = { T = [4, 8], n = [1] }
	`, []invocations.Option{{Name: "compile-flags"}})
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.Expand(invocations.Invocation{}, nil)
	if err != nil || len(list) != 2 {
		t.Fatalf("%v, %v", list, err)
	}
	v := list[1]
	if flags := v.Artifact.Options["compile-flags"]; flags != "-DT=8 --pass={other} -DT2=8" {
		t.Errorf("flags %q", flags)
	}
	if v.Name != "a/T=8/n=1" || !cmp.Equal(v.Placed, []string{"T"}) || !cmp.Equal(v.Point, []int{0, 1, 0}) {
		t.Errorf("%s: placed %v, point %v", v.Name, v.Placed, v.Point)
	}
}
