package doctor

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// system adds reading to System. Paths begin without a slash, as those of fs.FS do.
type system struct{ System }

// text returns the contents of a file without white space at its ends; "" if it cannot be read.
func (s system) text(name string) string {
	b, err := fs.ReadFile(s.Files, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// number returns the number in a file.
func (s system) number(name string) (int64, bool) {
	n, err := strconv.ParseInt(s.text(name), 10, 64)
	return n, err == nil
}

// there reports whether a file or folder exists.
func (s system) there(name string) bool {
	_, err := fs.Stat(s.Files, name)
	return err == nil
}

// glob returns the paths that match a pattern, in order.
func (s system) glob(pattern string) []string {
	list, _ := fs.Glob(s.Files, pattern) // the patterns are well formed
	return list
}

// quote returns evidence: a file and what stands in it.
func (s system) quote(name string) string { return "/" + name + ": " + s.text(name) }

// alike reads a file of each CPU and returns the values with the CPUs that have them, in the order of the first ones.
func (s system) alike(pattern string) (values []string, cpus map[string][]int, first string) {
	cpus = map[string][]int{}
	for _, name := range s.glob(pattern) {
		cpu, err := strconv.Atoi(strings.TrimPrefix(cpuFolder(name), "cpu"))
		value := s.text(name)
		if err != nil || value == "" {
			continue
		}
		if first == "" {
			first = name
		}
		if cpus[value] == nil {
			values = append(values, value)
		}
		cpus[value] = append(cpus[value], cpu)
	}
	return values, cpus, first
}

// cpuFolder returns the part of a path that names a CPU, such as cpu3.
func cpuFolder(name string) string {
	for name != "." && name != "/" && name != "" {
		base := path.Base(name)
		if digits := strings.TrimPrefix(base, "cpu"); digits != base && digits != "" && strings.Trim(digits, "0123456789") == "" {
			return base
		}
		name = path.Dir(name)
	}
	return ""
}

// listed shows numbers of CPUs as Linux does: "0-3,8".
func listed(cpus []int) string {
	cpus = slices.Sorted(slices.Values(cpus))
	var parts []string
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1] <= cpus[j]+1 {
			j++
		}
		if cpus[i] == cpus[j] {
			parts = append(parts, strconv.Itoa(cpus[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", cpus[i], cpus[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// count returns how many numbers a list such as "0-3,8" names; 0 if it is no such list.
func count(list string) (n int) {
	for part := range strings.SplitSeq(list, ",") {
		low, high, isRange := strings.Cut(strings.TrimSpace(part), "-")
		from, err := strconv.Atoi(low)
		to := from
		if err == nil && isRange {
			to, err = strconv.Atoi(high)
		}
		if err != nil || from < 0 || to < from || to > 1<<20 {
			return 0
		}
		n += to - from + 1
	}
	return n
}

// chosen returns the word in brackets of a setting such as "always [madvise] never".
func chosen(setting string) string {
	_, rest, _ := strings.Cut(setting, "[")
	word, _, _ := strings.Cut(rest, "]")
	return word
}
