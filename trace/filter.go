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
	var wanted []bool
	if f.Thread != "" {
		var err error
		if wanted, err = selectThreads(threads, f.Thread); err != nil {
			return nil, err
		}
	}
	to := f.ToNS
	if to == 0 {
		to = math.MaxInt64
	}
	return func(z *Zone) bool {
		switch {
		case z.DurationNS < f.MinDurationNS, f.Levels > 0 && z.Depth >= f.Levels:
			return false
		case f.FromNS > 0 && z.EndNS() <= f.FromNS, z.StartNS >= to:
			return false
		case wanted != nil && (z.Thread < 0 || z.Thread >= len(wanted) || !wanted[z.Thread]):
			return false
		case f.Name != nil && !f.Name.MatchString(z.Name()):
			return false
		}
		return f.Text == nil || f.Text.MatchString(z.Text)
	}, nil
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
