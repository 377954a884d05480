package trace

import (
	"math"
	"regexp"
	"strconv"
)

// Filter selects zones. Every condition that is set must hold; the zero value selects everything.
type Filter struct {
	Name          *regexp.Regexp // on the resolved name
	Text          *regexp.Regexp // on the text as it is stored
	Thread        string         // a thread's index or id, else a regular expression on its name
	FromNS        int64          // zones that end later
	ToNS          int64          // zones that begin earlier; 0: no limit
	MinDurationNS int64
	Levels        int // 1: only zones that no other encloses, 2: their children as well, …; 0: no limit
}

// Compile prepares a filter for a capture with these threads. It fails when Thread is no regular expression. A number
// is an index or an id only where such a thread exists, and part of a name otherwise.
func (f Filter) Compile(threads []Thread) (func(*Zone) bool, error) {
	numbers, err := f.numbers(threads)
	if err != nil {
		return nil, err
	}
	return func(z *Zone) bool {
		return numbers.selects(z.StartNS, z.DurationNS, z.Depth, z.Thread) &&
			(f.Name == nil || f.Name.MatchString(z.Name())) && (f.Text == nil || f.Text.MatchString(z.Text))
	}, nil
}

// CompileRaw is Compile for the raw zones of a capture.
func (f Filter) CompileRaw(file *File) (func(*RawZone) bool, error) {
	numbers, err := f.numbers(file.Threads())
	if err != nil {
		return nil, err
	}
	byLocation := make([]bool, len(file.Locations())) // whether the name of its zones matches
	for i := range byLocation {
		byLocation[i] = f.Name == nil || f.Name.MatchString(file.locations[i].Label())
	}
	return func(z *RawZone) bool {
		if !numbers.selects(z.StartNS, z.DurationNS, int(z.Depth), int(z.Thread)) {
			return false
		}
		if z.Extra == 0 {
			return byLocation[z.Location] && (f.Text == nil || f.Text.MatchString(""))
		}
		text, name, _ := file.Extra(z.Extra)
		named := byLocation[z.Location]
		if name != "" && f.Name != nil {
			named = f.Name.MatchString(name)
		}
		return named && (f.Text == nil || f.Text.MatchString(text))
	}, nil
}

// numberFilter is what a filter says of the numbers of zones.
type numberFilter struct {
	Filter
	wanted []bool // by thread; nil: all
}

func (f Filter) numbers(threads []Thread) (n numberFilter, err error) {
	if f.ToNS == 0 {
		f.ToNS = math.MaxInt64
	}
	n.Filter = f
	if f.Thread != "" {
		n.wanted, err = selectThreads(threads, f.Thread)
	}
	return n, err
}

func (f *numberFilter) selects(start, duration int64, depth, thread int) bool {
	switch {
	case duration < f.MinDurationNS, f.Levels > 0 && depth >= f.Levels:
		return false
	case f.FromNS > 0 && start+duration <= f.FromNS, start >= f.ToNS:
		return false
	}
	return f.wanted == nil || thread >= 0 && thread < len(f.wanted) && f.wanted[thread]
}

func selectThreads(threads []Thread, pattern string) ([]bool, error) {
	wanted := make([]bool, len(threads))
	if n, err := strconv.ParseUint(pattern, 10, 64); err == nil {
		found := false
		for i, t := range threads {
			if uint64(i) == n || t.ID != 0 && t.ID == n {
				wanted[i], found = true, true
			}
		}
		if found {
			return wanted, nil
		}
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	for i, t := range threads {
		wanted[i] = re.MatchString(t.Name)
	}
	return wanted, nil
}
