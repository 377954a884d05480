// Package environ holds the environment variables of a process as a value. A program reads it once and hands it to all
// code that looks variables up or starts processes. The package does not change the environment of this process and
// knows no names of variables.
package environ

import (
	"os"
	"runtime"
	"slices"
	"strings"
)

// Variables are environment variables. They do not change: With and Without return others. The zero value holds none.
type Variables struct {
	entries []string // NAME=VALUE, each name once
}

// OfProcess returns the variables of this process, as they are now. A program calls it once, at its start.
func OfProcess() Variables { return Of(os.Environ()...) }

// Of returns the variables of NAME=VALUE entries. Of two entries with one name, the later one counts.
func Of(entries ...string) Variables { return Variables{}.With(entries...) }

// Lookup returns the value of a variable, "" if it is not set.
func (v Variables) Lookup(name string) string {
	if i := v.index(name); i >= 0 {
		_, value := cut(v.entries[i])
		return value
	}
	return ""
}

// With returns the variables with NAME=VALUE entries added, which replace those of the same names. An entry without a
// value sets the variable to "".
func (v Variables) With(entries ...string) Variables {
	next := Variables{slices.Clone(v.entries)}
	for _, entry := range entries {
		name, _ := cut(entry)
		if i := next.index(name); i >= 0 {
			next.entries[i] = entry
		} else {
			next.entries = append(next.entries, entry)
		}
	}
	return next
}

// Without returns the variables without those of the given names.
func (v Variables) Without(names ...string) Variables {
	return Variables{slices.DeleteFunc(slices.Clone(v.entries), func(entry string) bool {
		name, _ := cut(entry)
		return slices.ContainsFunc(names, func(other string) bool { return same(name, other) })
	})}
}

// Has reports whether a variable is set.
func (v Variables) Has(name string) bool { return v.index(name) >= 0 }

// Only returns the variables whose names keep accepts.
func (v Variables) Only(keep func(name string) bool) Variables {
	return Variables{slices.DeleteFunc(slices.Clone(v.entries), func(entry string) bool {
		name, _ := cut(entry)
		return !keep(name)
	})}
}

// Entries returns the variables as NAME=VALUE, for exec.Cmd.Env. The caller owns the list. It is never nil, since nil
// would stand for the environment of this process.
func (v Variables) Entries() []string { return append([]string{}, v.entries...) }

// Names returns the names of NAME=VALUE entries.
func Names(entries []string) (names []string) {
	for _, entry := range entries {
		name, _ := cut(entry)
		names = append(names, name)
	}
	return names
}

func (v Variables) index(name string) int {
	return slices.IndexFunc(v.entries, func(entry string) bool {
		other, _ := cut(entry)
		return same(name, other)
	})
}

// cut splits an entry at its "=". Windows keeps the current folders of drives in variables whose names begin with "=".
func cut(entry string) (name, value string) {
	if entry == "" {
		return "", ""
	}
	at := strings.IndexByte(entry[1:], '=') + 1
	if at == 0 {
		return entry, ""
	}
	return entry[:at], entry[at+1:]
}

// same reports whether two names mean the same variable. On Windows, case makes no difference.
func same(a, b string) bool {
	if runtime.GOOS == "windows" {
		return strings.EqualFold(a, b)
	}
	return a == b
}
