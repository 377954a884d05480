// Package runtimes is the table of the runtimes that zonemark measures. A row holds all that the rest of the program
// needs to know about a runtime: how its artifacts are recognized, its options, what must be found or installed for it,
// and where the times of its dispatches come from. No other package of the command line knows a runtime by its name,
// except the verbs for a single runtime.
//
// The package starts no executor and measures nothing. It reads no environment but the one that it is handed.
package runtimes

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/executor"
	"zonemark/executor/csource"
	"zonemark/executor/hat"
	"zonemark/executor/iree"
	"zonemark/executor/peaks"
	"zonemark/executor/tt"
	"zonemark/executor/ttsim"
	"zonemark/invocations"
	"zonemark/invocations/files"
	"zonemark/invocations/shellwords"
)

// Row is one runtime. Name, New, Recognizes and Pattern are needed; other fields are empty if they do not apply.
type Row struct {
	Name string // the same as that of New's runtime
	// New makes the runtime in an executor from the variables of that process.
	New func(getenv func(name string) string) executor.Runtime

	// Recognizes reports whether path is an artifact. It looks at the names of the path and, if it is a folder, of the
	// files in it.
	Recognizes func(path string) bool
	Pattern    string // the same for people
	// Claims lists options that make an artifact of any name one of this runtime.
	Claims []string
	// Prototype returns the name of the function of a prototype, which a user may give instead of a name. It is nil if
	// the runtime takes none. The prototype becomes part of the option PrototypeOption.
	Prototype       func(text string) (name string, err error)
	PrototypeOption string
	// Holds reports whether a file or folder that Recognizes has taken by names does hold an artifact. It is asked if another
	// runtime has recognized the folder, too. Nil: the names are enough.
	Holds func(path string) bool
	// ReadAlone reports whether an artifact can be described without installing anything.
	ReadAlone func(path string) bool
	// Programs says that its artifacts are programs of the user, which run outside of the sandbox.
	Programs bool
	// Internal says that its functions are zonemark's own, so that only a verb measures them.
	Internal bool

	// Companions returns the files that a file which executors load needs beside it, and Relocate changes their
	// absolute paths in it when they were moved. Both are nil if such a file needs no other.
	Companions func(path string) ([]string, error)
	Relocate   func(path string, moved func(file string) string) error

	// Models says that it runs StableHLO programs, as which models are exported.
	Models bool

	// Options of artifacts. An option that another runtime has too is of the same kind there.
	Options []invocations.Option
	Mode    *Mode

	// Infer adds to the options of an artifact what follows from the arguments of an invocation. Nil: nothing does.
	Infer func(*invocations.Invocation)

	// Provide finds, or installs, what invocations need.
	Provide func(ctx context.Context, r Request) (entries []string, err error)
	// Loads returns those of Provide's entries that executors on other hosts need, to which they are brought. It
	// returns an error if that cannot be. Nil: all.
	Loads func(r Request, entries []string) ([]string, error)
	// Keep prepares a folder for files that executors make and later runs use.
	Keep func(f Folders) (Kept, error)

	// Devices returns the files of devices, as patterns of paths, that an invocation uses, and whether native code then
	// is a driver or a plugin, which need more than kernels do. It is nil if the runtime has kernels for the CPU only.
	Devices func(*invocations.Invocation) (patterns []string, driver bool)

	Dispatches *Dispatches // nil if its functions issue none
	Tracing    *Tracing    // nil if it has no client of Tracy
}

// Mode is a value of --mode that stands for an option of a runtime, since people look for it there.
type Mode struct {
	Name          string
	Option, Value string
	Usage         string // for help
}

// Table is a list of runtimes. Their order is the order of their flags, and the order in which they are asked about an
// artifact.
type Table []Row

// All returns every runtime that zonemark has.
func All() Table {
	return Table{
		{
			Name: hat.Name, Recognizes: hat.Recognizes, Pattern: "*.hat",
			New:        func(getenv func(string) string) executor.Runtime { return hat.Runtime{Getenv: getenv} },
			Companions: hat.Companions, Relocate: hat.Relocate,
		},
		ireeRow(),
		{
			Name: tt.Name, Recognizes: tt.Recognizes, Pattern: "*.stablehlo",
			New: func(getenv func(string) string) executor.Runtime {
				return tt.New(tt.PluginsFrom(getenv), tt.CompiledFrom(getenv))
			},
			Models:  true,
			Options: tt.Options(), Provide: providePlugins, Keep: keepCompiled, Devices: pluginDevices,
			Dispatches: &Dispatches{Support: pluginDispatches},
		},
		{
			Name: ttsim.Name, Recognizes: ttsim.Recognizes, Pattern: "*.elf, *.tensix",
			New:        func(getenv func(string) string) executor.Runtime { return ttsim.New(getenv) },
			Companions: ttsim.Companions,
			Options:    ttsim.Options(), Provide: provideSimulator,
		},
		halideRow(),
		{
			Name: csource.Name, Recognizes: csource.Recognizes, Pattern: "*.c",
			Claims:     []string{csource.OptionPrototype, csource.OptionHeader},
			New:        func(getenv func(string) string) executor.Runtime { return csource.New(getenv) },
			Companions: csource.Companions, Relocate: csource.Relocate,
			Options: csource.Options(), Prototype: csource.PrototypeName, PrototypeOption: csource.OptionPrototype,
		},
		commandRow(),
		pythonRow(),
		{
			Name: peaks.Name, Internal: true, Recognizes: func(string) bool { return false },
			New: func(func(string) string) executor.Runtime { return peaks.Runtime{} },
		},
	}
}

func ireeRow() Row {
	return Row{
		Name: iree.Name, Recognizes: iree.Recognizes, Pattern: "*.vmfb, *.mlir, *.onnx", ReadAlone: compiledModule,
		New: func(getenv func(string) string) executor.Runtime {
			return iree.Runtime{Installation: iree.InstallationFrom(getenv)}
		},
		Companions: iree.Companions, Relocate: iree.Relocate,
		Models:  true,
		Options: iree.Options(),
		Mode: &Mode{
			Name: "dispatch", Option: iree.OptionProvider, Value: iree.ProviderDispatch,
			Usage: "single dispatches of IREE modules, without a runtime",
		},
		Infer: iree.InferInputs, Provide: provideIREE, Devices: ireeDevices, Loads: loadedOfIREE,
		Dispatches: &Dispatches{
			Support: ireeDispatches, Artifacts: "IREE modules",
			Nodes:    func(inv *invocations.Invocation) map[string]string { return iree.Nodes(inv.Artifact.Built) },
			Remedy:   `"zonemark setup iree" brings what times them`,
			Profiler: `"zonemark setup iree" and "zonemark setup iree-capi" bring one each`,
		},
		Tracing: &Tracing{
			Needs: "run by the wheels and a shared libpython",
			Adapt: runByWheels, Environment: iree.TracyEnvironment(), Sites: wheelSites, Brings: wheelsForCaptures,
		},
	}
}

// Infer adds to the options of an invocation's artifact what follows from its arguments.
func (t Table) Infer(inv *invocations.Invocation) {
	if row := t.Lookup(inv.Runtime); row.Infer != nil && len(inv.Arguments) > 0 {
		row.Infer(inv)
	}
}

// Lookup returns the row of a runtime; an empty one if the table does not have it.
func (t Table) Lookup(name string) Row {
	for _, row := range t {
		if row.Name == name {
			return row
		}
	}
	return Row{}
}

// Names returns the names of the runtimes that users name.
func (t Table) Names() (names []string) {
	for _, row := range t {
		if !row.Internal {
			names = append(names, row.Name)
		}
	}
	return names
}

// OfModels returns the names of the runtimes that run models.
func (t Table) OfModels() (names []string) {
	for _, row := range t {
		if row.Models {
			names = append(names, row.Name)
		}
	}
	return names
}

// Executors makes the runtimes of an executor from the variables of its process.
func (t Table) Executors(getenv func(name string) string) (list []executor.Runtime) {
	for _, row := range t {
		list = append(list, row.New(getenv))
	}
	return list
}

// OptionsByName returns the options of each runtime, by its name.
func (t Table) OptionsByName() map[string][]invocations.Option {
	options := map[string][]invocations.Option{}
	for _, row := range t {
		options[row.Name] = row.Options
	}
	return options
}

// Options returns the options of all runtimes. One that several runtimes have is one flag, whose help is that of all.
func (t Table) Options() (list []invocations.Option) {
	for _, row := range t {
		for _, o := range row.Options {
			if row.Mode != nil && row.Mode.Option == o.Name {
				o.Mode, o.ModeValue = row.Mode.Name, row.Mode.Value
			}
			i := slices.IndexFunc(list, func(other invocations.Option) bool { return other.Name == o.Name })
			if i < 0 {
				list = append(list, o)
			} else {
				list[i].Usage += "; " + o.Usage
				if list[i].Foreign == nil { // a suite has one key for all
					list[i].Foreign = o.Foreign
				}
			}
		}
	}
	return list
}

// Modes returns the values of --mode that stand for options.
func (t Table) Modes() (list []Mode) {
	for _, row := range t {
		if row.Mode != nil {
			list = append(list, *row.Mode)
		}
	}
	return list
}

// Recognize finds the runtime of an artifact by its options, by its name, or by the names of the files in it if it is a
// folder.
func (t Table) Recognize(path string, options map[string]string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("%s: there is no such file or folder; name an artifact (%s)", path, t.Patterns())
	}
	if !info.Mode().IsRegular() && !info.IsDir() { // reading would wait
		return "", fmt.Errorf("%s: a pipe, a socket or a device; name a file or a folder", path)
	}
	for _, row := range t {
		if slices.ContainsFunc(row.Claims, func(option string) bool { return options[option] != "" }) {
			return row.Name, nil
		}
	}
	for _, row := range t {
		if row.Recognizes(path) && (info.IsDir() || row.Holds == nil || row.Holds(path)) {
			return row.Name, nil
		}
	}
	switch filepath.Ext(path) {
	case ".ndjson":
		return "", fmt.Errorf("%s is named like a journal of results; zonemark report makes a page of it, zonemark compare "+
			"compares two", path)
	case ".tracy":
		return "", fmt.Errorf("%s is named like a capture; zonemark trace stats %s shows where its time went", path,
			shellwords.Line(path))
	}
	if info.IsDir() {
		return "", fmt.Errorf("%s: this folder holds no artifact (%s)", path, t.Patterns())
	}
	return "", fmt.Errorf("%s: not a suite (*.toml) and not an artifact (%s); say --runtime if it has an unusual name, "+
		"or put -- before a program", path, t.Patterns())
}

// RecognizeAll finds the runtimes of an artifact. A folder may hold artifacts of several; the order is that of the
// table.
func (t Table) RecognizeAll(path string, options map[string]string) ([]string, error) {
	first, err := t.Recognize(path, options)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, row := range t {
		if row.Name == first || files.IsFolder(path) && row.Recognizes(path) && (row.Holds == nil || row.Holds(path)) {
			names = append(names, row.Name)
		}
	}
	return names, nil
}

// Patterns returns the names of artifacts that the runtimes recognize, separated by commas.
func (t Table) Patterns() string {
	var patterns []string
	for _, row := range t {
		if !row.Programs && !row.Internal { // programs are told by where they stand
			patterns = append(patterns, row.Pattern)
		}
	}
	return strings.Join(patterns, ", ")
}

// ReadAlone reports whether an artifact of a runtime can be described without installing anything; see Row.
func (t Table) ReadAlone(runtime, path string) bool {
	row := t.Lookup(runtime)
	return row.ReadAlone != nil && row.ReadAlone(path)
}
