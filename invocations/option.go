package invocations

import "strings"

// OptionKind is a kind of value of an option.
type OptionKind int

// The kinds of options.
const (
	TextOption        OptionKind = iota // a text that is taken as it is
	FileOption                          // the path of a file
	NameOrFileOption                    // the path of a file if it has a separator in it, else a name
	ScopedFilesOption                   // [SCOPE=]PATH of files, separated by commas
	FilesOption                         // paths of files, separated by commas; the flag is repeatable
)

// Option describes an option with which a runtime builds, loads or runs its artifacts. It is a flag of the command
// line, a key of suites and an entry of Artifact.Options.
type Option struct {
	Name        string // of the flag and of the entry: "task-threads"
	Placeholder string // of the value, in help: "n"
	Usage       string // for help; one sentence without its period
	Kind        OptionKind
	Alone       string // value of the flag if it is given without one; empty: it needs a value
	// Mode is a word for the key mode, which then sets this option to ModeValue, since people look for it there; empty
	// if there is none.
	Mode, ModeValue string
	// Foreign returns what is wrong with a value that a suite or a bundle brings, which somebody else may have written;
	// the command line may give any. It is nil if these may, too.
	Foreign func(value string) error
	// Repeatable is the name of a second flag, which adds one word to the value each time it is given; empty if there
	// is none.
	Repeatable, RepeatableUsage string
	// SpacedNames reports that names in the words of Repeatable may have spaces, as those of dimensions may. A word then
	// ends with its value.
	SpacedNames bool
}

// Key returns the name of the option in suites: "task_threads".
func (o Option) Key() string { return strings.ReplaceAll(o.Name, "-", "_") }

// fileSeparator separates the paths of a FilesOption.
const fileSeparator = ","

// SplitFiles returns the paths in the value of a FilesOption.
func SplitFiles(value string) []string {
	if value == "" {
		return nil
	}
	return strings.Split(value, fileSeparator)
}

// JoinFiles returns the value of a FilesOption.
func JoinFiles(paths []string) string { return strings.Join(paths, fileSeparator) }
