package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"zonemark/driver/journal/shortlines"
	"zonemark/driver/jsonshape"
	"zonemark/invocations"
)

// store tells where the results of a journal are: they stay in its file, and are read when they are asked for. A result
// has a number, from 0, in order of the first lines of ids. Several goroutines may use a store at once.
type store struct {
	name   string // of the file, for errors
	remedy string // what to do if it cannot be read; empty: nothing
	in     io.ReaderAt
	close  func() error
	shape  jsonshape.Object // of results

	mu       sync.RWMutex
	lines    []storedLine
	commons  []invocations.Common
	latest   map[int]int32 // positions in commons, by number
	statuses []invocations.Status
	groups   []string         // the first one is empty
	group    map[string]int32 // positions in groups
	runs     int32            // that have begun: the header, and each line of a continuation
}

// storedLine is the line of a result.
type storedLine struct {
	offset int64
	length int64 // without the line end; 0: the result is not kept. Lines of a thousand launches once had a gigabyte
	common int32 // position in commons, from 1; 0: the line is whole
	place  int32 // in the plan, from 1; 0: it is not known
	status int32 // position in statuses
	group  int32 // position in groups
	run    int32 // number of the run that wrote it
}

func newStore(name, remedy string, in io.ReaderAt, close func() error) *store {
	return &store{name: name, remedy: remedy, in: in, close: close, shape: jsonshape.Of[shortlines.Line](),
		latest: map[int]int32{}, groups: []string{""}, group: map[string]int32{"": 0}}
}

// newSpooled makes the store of a spool.
func newSpooled(s *spool) *store {
	return newStore("the temporary file with the results of this run", "", s, s.Close)
}

// set tells that the line of a result with a number, which is at most one behind the last, is at an offset. A length of
// 0 means that nobody needs the result.
func (x *store) set(number int32, offset, length int64, head *resultHead) {
	x.mu.Lock()
	defer x.mu.Unlock()
	line := storedLine{offset: offset, length: length, place: int32(head.place), run: x.runs}
	if head.common != 0 {
		line.common = x.latest[head.common] + 1
	}
	kind := slices.Index(x.statuses, head.status)
	if kind < 0 {
		kind = len(x.statuses)
		x.statuses = append(x.statuses, head.status)
	}
	line.status = int32(kind)
	group, known := x.group[head.group]
	if !known {
		group = int32(len(x.groups))
		x.groups, x.group[head.group] = append(x.groups, head.group), group
	}
	line.group = group
	if int(number) == len(x.lines) {
		x.lines = append(x.lines, line)
		return
	}
	x.lines[number] = line
}

// add adds the line of a result and returns its number.
func (x *store) add(offset, length int64, head *resultHead) int32 {
	number := int32(x.len())
	x.set(number, offset, length, head)
	return number
}

func (x *store) len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.lines)
}

// nextRun tells that the lines behind it are of another run.
func (x *store) nextRun() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.runs++
}

// addCommon adds what results behind it have in common.
func (x *store) addCommon(c invocations.Common) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.latest[c.Number] = int32(len(x.commons))
	x.commons = append(x.commons, c)
}

// common returns what results have in common that refer to a number now.
func (x *store) common(number int) (c invocations.Common, known bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	at, known := x.latest[number]
	if known {
		c = x.commons[at]
	}
	return c, known
}

// status returns the status of a result, without reading it.
func (x *store) status(number int32) invocations.Status {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.statuses[x.lines[number].status]
}

// read reads a result. A brief one lacks all but the first invocations.FewBatches values of lists that have one for
// each batch.
func (x *store) read(number int32, brief bool) (*invocations.Record, error) {
	x.mu.RLock()
	at := x.lines[number]
	var common invocations.Common
	if at.common > 0 {
		common = x.commons[at.common-1]
	}
	x.mu.RUnlock()
	text := make([]byte, at.length)
	if _, err := x.in.ReadAt(text, at.offset); err != nil {
		return nil, &UnreadableError{fmt.Errorf("%s: reading a result again: %w%s", x.name, err, x.remedy)}
	}
	if brief {
		text = briefLine(x.shape, text)
	}
	var short shortlines.Line
	err := json.Unmarshal(text, &short)
	if err == nil && (short.ID == "" || short.Status == "") {
		err = errors.New("a result without id or status")
	}
	if err != nil {
		return nil, &UnreadableError{
			fmt.Errorf("%s: byte %d: something has changed it while it was in use: %w", x.name, at.offset, err)}
	}
	r := short.Own()
	if at.common > 0 {
		r = short.Whole(common)
	}
	return &r, nil
}

// UnreadableError tells that a result cannot be read from its journal again.
type UnreadableError struct{ err error }

func (e *UnreadableError) Error() string { return e.err.Error() }
func (e *UnreadableError) Unwrap() error { return e.err }

// list are the results of a store with some numbers. It implements invocations.RecordStore.
type list struct {
	*store
	numbers []int32
	brief   bool
}

// list returns the results with these numbers. All of them are brief if brief is set.
func (x *store) list(numbers []int32, brief bool) *invocations.Records {
	return invocations.StoredRecords(len(numbers), &list{x, numbers, brief})
}

func (l *list) Read(place int) (*invocations.Record, error) { return l.read(l.numbers[place], l.brief) }

func (l *list) Status(place int) invocations.Status { return l.status(l.numbers[place]) }

func (l *list) Group(place int) string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.groups[l.lines[l.numbers[place]].group]
}

func (l *list) Run(place int) int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return int(l.lines[l.numbers[place]].run)
}

func (l *list) Close() error { return l.close() }

// kept returns the numbers of the results that are kept.
func (x *store) kept() []int32 {
	numbers := make([]int32, 0, len(x.lines))
	for i := range x.lines {
		if x.lines[i].length > 0 {
			numbers = append(numbers, int32(i))
		}
	}
	return numbers
}
