package suite

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"zonemark/invocations"
)

// Kind is the way in which the value of a key is written.
type Kind int

// The kinds, with the type of the field that each sets.
const (
	Text              Kind = iota // a text: string
	Path                          // a file, relative to the suite: string
	Paths                         // a list of files and folders, relative to the suite: []string
	Mode                          // the name of a mode: invocations.Mode
	When                          // when something is done: invocations.When
	Placement                     // whether launches differ in their layout: invocations.Placement
	Switch                        // true or false: bool
	Number                        // a number from 0 to below Key.Below: float64
	Integer                       // an integer from Key.Least to Key.Most: int or int64
	CPU                           // the number of a CPU, -1 for any: int
	Seed                          // an integer from 0: uint64
	Duration                      // a text with a unit, "100ms": int64, in nanoseconds
	Size                          // a text with a unit, "2GiB": int64, in bytes
	Megabytes                     // a number of 2^20 bytes: int64, in bytes
	Words                         // an array of texts and numbers, at least one: []string
	Product                       // a number above 0, or a text with a product of such, "2*64*64": float64
	TextOption                    // of the artifact: any scalar
	FileOption                    // of the artifact: a file, relative to the suite
	ScopedFilesOption             // of the artifact: [SCOPE=]PATH of files, separated by commas, relative to the suite
	NameOption                    // of the artifact: a name, or a file if it has a separator
	FilesOption                   // of the artifact: a file or an array of files, relative to the suite
)

// Key is a row of the table of keys. It says what a key of a suite's entry sets and how it is written. Parser, list of
// names, reference and the flags of the command line are made from it.
type Key struct {
	Name  string // in a suite: "min_time"
	Table string // table that holds it: "verify"; empty: the entry itself
	Kind  Kind
	Field func(v *invocations.Invocation) any // returns a pointer to what the key sets; nil for an option

	Least, Most int64   // of an Integer
	Below       float64 // of a Number
	Example     string  // of a value, for errors

	Placeholders bool                     // its text may contain {axis} placeholders
	NoAxis       string                   // why no axis may set it; empty if an axis may
	Option       string                   // name of the option that it sets; empty: it sets Field
	foreign      func(value string) error // of the option; nil: any value may be in a suite
	words        []invocations.Option     // options that values of a Mode stand for

	Flag  string // of the command line; empty if there is none
	Short string // one letter for the flag
	Alias string // another name of the flag
	Usage string // for help; one sentence without its period
}

// Copy sets the field of the key in one invocation to its value in another one.
func (k Key) Copy(to, from *invocations.Invocation) {
	reflect.ValueOf(k.Field(to)).Elem().Set(reflect.ValueOf(k.Field(from)).Elem())
}

// label returns the key with its table, for people.
func (k Key) label() string {
	if k.Table != "" {
		return k.Table + "." + k.Name
	}
	return k.Name
}

// Keys returns the table of keys, in the order in which people read them. Options of runtimes come from OptionKeys.
func Keys() []Key {
	type invocation = invocations.Invocation
	return []Key{
		{Name: "name", Kind: Text, Field: func(v *invocation) any { return &v.Name }, Placeholders: true,
			NoAxis: "the name cannot be an axis: use {axis} placeholders in it",
			Usage:  "name for people and for --filter; axes without a placeholder are appended"},
		{Name: "runtime", Kind: Text, Field: func(v *invocation) any { return &v.Runtime },
			Flag: "runtime", Usage: "runtime of the artifacts, when their names do not tell"},
		{Name: "artifact", Kind: Path, Field: func(v *invocation) any { return &v.Artifact.Path }, Placeholders: true,
			Usage: "file with native code, or with what it is built from"},
		{Name: "model", Kind: Text, Field: func(v *invocation) any { return &v.Model }, Placeholders: true,
			Usage: "model that is exported and measured, in place of an artifact: MODEL:CONFIGURATION, as `zonemark " +
				"bench --list` shows them; its parameters are `training`, `dataformat`, `microbatch`, `layers`, " +
				"`generative`, `seed` and `models`, as the flags of `bench`"},
		{Name: "command", Kind: Words, Field: func(v *invocation) any { return &v.Command }, Placeholders: true,
			NoAxis: "the command cannot be an axis: use {axis} placeholders in its words",
			Usage: "whole command that is measured, in place of an artifact: the program and its arguments, a word " +
				"each; it runs in the suite's folder, and a program with a / in its name is relative to that"},
		{Name: "function", Kind: Text, Field: func(v *invocation) any { return &v.Function }, Placeholders: true,
			Usage: "function of the artifact; without it, every function"},
		{Name: "group", Kind: Text, Field: func(v *invocation) any { return &v.Group }, Placeholders: true,
			Usage: "invocations of one group are variants of one computation and are compared"},
		{Name: "mode", Kind: Mode, Field: func(v *invocation) any { return &v.Measure.Mode }, Flag: "mode",
			Usage: "warm: one argument set again and again; cold: shuffled sets beyond the last-level cache; " +
				"flush: lines evicted before each call; serialized: no overlap between calls"},
		{Name: "precision", Kind: Number, Field: func(v *invocation) any { return &v.Measure.Precision }, Below: 1,
			Example: "0.01", Flag: "precision",
			Usage: "stop when launches agree so well that a second run would differ by at most this fraction, with " +
				"95 % confidence; 0: never stop for that reason"},
		{Name: "min_time", Kind: Duration, Field: func(v *invocation) any { return &v.Measure.MinTimeNS },
			Example: "100ms", Flag: "min-time", Usage: "measure at least this long, all launches together"},
		{Name: "max_time", Kind: Duration, Field: func(v *invocation) any { return &v.Measure.MaxTimeNS },
			Example: "2s", Flag: "max-time", Usage: "stop measuring a function after this time, converged or not, but " +
				"not before its least number of launches"},
		{Name: "min_iterations", Kind: Integer, Field: func(v *invocation) any { return &v.Measure.MinIterations },
			Most: math.MaxInt64, Flag: "min-iterations", Usage: "measure at least this many calls"},
		{Name: "calls_per_batch", Kind: Integer, Field: func(v *invocation) any { return &v.Measure.CallsPerBatch },
			Most: math.MaxInt64, Flag: "calls-per-batch",
			Usage: "calls between two clock reads; 0: chosen to be long against the clock"},
		{Name: "warmup", Kind: Integer, Field: func(v *invocation) any { return &v.Measure.WarmupCalls },
			Most: math.MaxInt64, Flag: "warmup",
			Usage: "make at least this many calls in each launch before timing; 0: until times are steady"},
		{Name: "restore", Kind: When, Field: func(v *invocation) any { return &v.Measure.Restore }, Flag: "restore",
			Usage: "restore arguments that calls change before each call; auto: if that changes their time"},
		{Name: "reorder", Kind: When, Field: func(v *invocation) any { return &v.Measure.Reorder }, Flag: "reorder",
			Usage: "reorder random contents before each call; auto: if that changes its time"},
		{Name: "launches", Kind: Integer, Field: func(v *invocation) any { return &v.Measure.Launches },
			Least: 1, Most: mostLaunches, Flag: "launches", Alias: "repetitions",
			Usage: "measure each function in this many fresh executors; 1: the functions of an artifact share one; " +
				"0: as many as --precision needs, at least 5, or 10 of each of several variants"},
		// This is the older name of launches, from when variants took turns in one process.
		{Name: "rounds", Kind: Integer, Field: func(v *invocation) any { return &v.Measure.Launches },
			Least: 1, Most: mostLaunches, Usage: "the same as launches"},
		{Name: "huge_pages", Kind: Switch, Field: func(v *invocation) any { return &v.Measure.HugePages },
			Flag: "huge-pages", Usage: "arguments lie in huge pages, if there are any"},
		{Name: "placement", Kind: Placement, Field: func(v *invocation) any { return &v.Measure.Placement },
			Flag: "placement", Usage: "addresses of code and data: vary: others in each launch, so that intervals " +
				"include their effect; fixed: always the same; malloc: arrays 16 bytes behind lines"},
		{Name: "input_sets_minimum_size_mb", Kind: Megabytes,
			Field: func(v *invocation) any { return &v.Measure.SetBytes },
			Flag:  "input-sets-minimum-size-mb",
			Usage: "total size of the argument sets in mode cold; 0: twice the last-level cache"},
		{Name: "cpu", Kind: CPU, Field: func(v *invocation) any { return &v.Measure.CPU },
			Flag: "cpu", Usage: "pin the measuring thread to this CPU"},
		{Name: "seed", Kind: Seed, Field: func(v *invocation) any { return &v.Measure.Seed },
			Flag: "seed", Usage: "seed of random contents and of the order of measuring"},
		{Name: "timeout", Kind: Duration, Field: func(v *invocation) any { return &v.Limits.TimeoutNS },
			Example: "30s", Flag: "timeout", Usage: "kill an invocation that takes longer, preparation included, and a build"},
		{Name: "memory", Kind: Size, Field: func(v *invocation) any { return &v.Limits.MemoryBytes }, Example: "2GiB",
			Flag: "memory", Usage: "memory that an executor may touch, shared memory and temporary files included " +
				"(default: three quarters of what is free)"},
		{Name: "threads", Kind: Integer, Field: func(v *invocation) any { return &v.Limits.Threads },
			Least: 64, Most: 1 << 20, Flag: "threads", Usage: "threads that an executor may have"},
		{Name: "sandbox_read", Kind: Paths, Field: func(v *invocation) any { return &v.Limits.Read },
			NoAxis: "what may be read cannot be an axis: it holds for the whole run",
			Usage:  "native code may read these files and folders, too, as with `--sandbox-read`"},
		{Name: "sandbox_allow", Kind: Paths, Field: func(v *invocation) any { return &v.Limits.Allow },
			NoAxis: "what may be written cannot be an axis",
			Usage:  "native code may use these devices, or write these files and folders, too, as with `--sandbox-allow`"},
		{Name: "sandbox_profile", Kind: Text, Field: func(v *invocation) any { return &v.Limits.Profile },
			Flag: "sandbox-profile", Usage: "what the sandbox allows: plain: computing, threads, temporary files; device: also " +
				"processes, sockets among them, shared memory and a home of their own (default: device for plugins " +
				"and devices other than the CPU)"},
		{Name: "trace", Kind: Switch, Field: func(v *invocation) any { return &v.Trace },
			Usage: "find the times of the dispatches"},
		{Name: "check_only", Kind: Switch, Field: func(v *invocation) any { return &v.Measure.CheckOnly },
			Flag: "check", Short: "c", Usage: "call each function once and check its outputs; measure nothing"},
		{Name: "flop", Kind: Product, Field: func(v *invocation) any { return &v.FLOP }, Placeholders: true,
			Usage: "operations of a call"},
		{Name: "bytes", Kind: Product, Field: func(v *invocation) any { return &v.Bytes }, Placeholders: true,
			Usage: "bytes that a call moves"},
		{Name: "reference", Table: tableVerify, Kind: Text, Placeholders: true,
			Field: func(v *invocation) any { return &v.Verify.Reference },
			Usage: "function of the same artifact whose outputs count as right"},
		{Name: "tolerance", Table: tableVerify, Kind: Number, Below: math.MaxFloat64, Example: "1e-4",
			Field: func(v *invocation) any { return &v.Verify.Tolerance },
			Flag:  "tolerance", Usage: "relative tolerance of outputs; 0: the default of the element type"},
	}
}

// AllKeys returns the table of keys with those of options. The key mode takes the words that stand for options, too.
func AllKeys(options []invocations.Option) []Key {
	keys := Keys()
	for i := range keys {
		for _, o := range options {
			if keys[i].Kind == Mode && o.Mode != "" {
				keys[i].words = append(keys[i].words, o)
				keys[i].Usage += "; " + o.Mode + ": the same as " + o.Key() + " = \"" + o.ModeValue + "\""
			}
		}
	}
	return append(keys, OptionKeys(options)...)
}

// mostLaunches bounds the launches of an invocation.
const mostLaunches = 10_000

// OptionKeys returns the keys of the options of runtimes.
func OptionKeys(options []invocations.Option) []Key {
	keys := make([]Key, len(options))
	for i, o := range options {
		keys[i] = Key{Name: o.Key(), Kind: TextOption, Option: o.Name, Usage: o.Usage, foreign: o.Foreign}
		switch o.Kind {
		case invocations.FileOption:
			keys[i].Kind = FileOption
		case invocations.ScopedFilesOption:
			keys[i].Kind = ScopedFilesOption
		case invocations.NameOrFileOption:
			keys[i].Kind = NameOption
		case invocations.FilesOption:
			keys[i].Kind = FilesOption
		}
	}
	return keys
}

// keyTable finds keys by name.
type keyTable []Key

func (t keyTable) find(inTable, name string) *Key {
	for i, k := range t {
		if k.Table == inTable && k.Name == name {
			return &t[i]
		}
	}
	return nil
}

func (t keyTable) names(inTable string) (names []string) {
	for _, k := range t {
		if k.Table == inTable {
			names = append(names, k.Name)
		}
	}
	return names
}

// Reference describes keys in Markdown, in a row each.
func Reference(keys []Key) string {
	var b strings.Builder
	b.WriteString("| key | value | |\n|---|---|---|\n")
	for _, k := range keys {
		usage := k.Usage
		if k.Flag != "" {
			usage += "; `--" + k.Flag + "`"
		}
		if k.Placeholders {
			usage += "; may hold `{axis}` placeholders"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.label(), k.Kind, strings.ReplaceAll(usage, "|", `\|`))
	}
	return b.String()
}

// String describes values of the kind for people.
func (k Kind) String() string {
	return [...]string{
		Text: "text", Path: "file", Paths: "list of files and folders", Mode: "mode",
		When: "auto, always or never", Placement: "vary, fixed or malloc",
		Switch: "true or false", Number: "number", Integer: "integer",
		CPU: "CPU", Seed: "integer", Duration: "time with its unit", Size: "size with its unit",
		Megabytes: "number of MiB", Words: "array of words", Product: "number or product", TextOption: "text", FileOption: "file", ScopedFilesOption: "text",
		NameOption: "name or file", FilesOption: "file, or array of files",
	}[k]
}
