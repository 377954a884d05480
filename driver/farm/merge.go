package farm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"zonemark/driver/journal"
	"zonemark/invocations"
)

// Merged are the journals of the shards of a plan, ready to be written as one journal.
type Merged struct {
	Shards   []*ShardJournal // in the order of their numbers
	Gaps     []Gap           // what is missing; nil: the plan is complete
	Machines []Machine       // that measured it
	Results  int             // that Write writes
	Of       int             // invocations of the plan

	end      invocations.End
	seen     []seenResult         // by place
	statuses []invocations.Status // that results have
}

// ShardJournal is the journal of one shard.
type ShardJournal struct {
	Path   string
	Header journal.Header

	*journal.Stored                // without results
	invocations     int            // that have a result
	superseded      map[int32]bool // lines with results that later ones of the same invocation replace
}

// seenResult is what is known of the result at a place of the plan. There may be a million.
type seenResult struct {
	id      uint64
	line    int32 // in its journal
	shard   int32 // position of its journal in the shards, from 1; 0: there is no result
	status  uint8 // position in the statuses
	partial bool  // its trace is not whole
}

// mostInvocations bounds the plan that a header may speak of. No plan comes near it.
const mostInvocations = 1 << 25

// Read reads the journals of shards and checks that they belong together: one plan, divided in one way, measured by one
// version of zonemark, no shard and no invocation twice. It keeps no results. What is missing is no error; it is in Gaps.
// A journal whose run had not begun is like none.
func Read(ctx context.Context, paths []string) (*Merged, error) {
	m := &Merged{end: invocations.End{Kind: invocations.EndKind, ByStatus: map[invocations.Status]int{}}}
	for _, path := range paths {
		if err := m.add(path); err != nil {
			return nil, err
		}
	}
	if len(m.Shards) == 0 {
		return nil, fmt.Errorf("%s: no journal has a header: their runs have not begun", strings.Join(paths, ", "))
	}
	slices.SortFunc(m.Shards, func(a, b *ShardJournal) int {
		return cmp.Compare(a.Header.Shard.Index, b.Header.Shard.Index)
	})
	m.Of = m.Shards[0].Header.Shard.Of
	m.seen = make([]seenResult, m.Of)
	for i := range m.Shards {
		if err := m.read(ctx, i); err != nil {
			return nil, err
		}
	}
	m.findGaps()
	if err := m.checkIDs(); err != nil {
		return nil, err
	}
	m.count()
	m.findMachines()
	return m, nil
}

// add adds the journal at path after a look at its header.
func (m *Merged) add(path string) error {
	header, err := journal.ReadHeader(path)
	if err != nil || header.Kind == "" {
		return err
	}
	s := header.Shard
	switch {
	case s == nil:
		return fmt.Errorf("%s: it holds no shard: only journals of runs with --shards are joined", path)
	case s.Count < 1 || s.Index < 0 || s.Index >= s.Count || s.Count > MostShards || s.Of < s.Count || s.Of > mostInvocations:
		return fmt.Errorf("%s: line 1: shard %d of %d of a plan of %d invocations, which cannot be", path, s.Index, s.Count,
			s.Of)
	}
	for _, other := range m.Shards {
		if other.Header.Shard.Index == s.Index {
			return twice(other.Path, path, s.Index)
		}
	}
	if len(m.Shards) > 0 {
		if err := belongsTo(m.Shards[0], path, header); err != nil {
			return err
		}
	}
	m.Shards = append(m.Shards, &ShardJournal{Path: path, Header: header, superseded: map[int32]bool{}})
	return nil
}

// twice returns the error for two journals of one shard.
func twice(a, b string, index int) error {
	if infoA, err := os.Stat(a); err == nil {
		if infoB, err := os.Stat(b); err == nil && os.SameFile(infoA, infoB) {
			return fmt.Errorf("%s is given twice, as %s, too", a, b)
		}
	}
	return fmt.Errorf("%s and %s hold the same shard, %d: keep one of them", a, b, index)
}

// belongsTo returns an error if a journal is not of the same plan, division and version as a shard.
func belongsTo(first *ShardJournal, path string, h journal.Header) error {
	a, b := first.Header.Shard, h.Shard
	switch {
	case a.Plan != b.Plan:
		return fmt.Errorf("%s and %s are of different plans, with %d and %d invocations: what was measured, or a flag, had "+
			"changed", first.Path, path, a.Of, b.Of)
	case a.Count != b.Count:
		return fmt.Errorf("%s and %s are of different divisions, into %d and %d shards", first.Path, path, a.Count, b.Count)
	case a.Of != b.Of || a.Division != b.Division:
		return fmt.Errorf("%s and %s are of different divisions of the same plan: limits of time, groups or --costs had "+
			"changed", first.Path, path)
	}
	return sameBuild(first, path, h.Build)
}

func sameBuild(first *ShardJournal, path, build string) error {
	if build == first.Header.Build {
		return nil
	}
	return fmt.Errorf("%s was measured by zonemark %s, %s by zonemark %s: results of different versions are not merged; "+
		"measure one of them anew (--overwrite)", first.Path, first.Header.Build, path, build)
}

// read reads the journal of a shard and notes what it holds.
func (m *Merged) read(ctx context.Context, i int) error {
	s := m.Shards[i]
	stored, err := journal.Reading{Figures: true, Each: func(line int, r *invocations.Record) error {
		return m.note(i, int32(line), r)
	}}.File(ctx, s.Path)
	if err != nil {
		return err
	}
	s.Stored = stored
	for _, resumed := range stored.Resumes {
		if err := sameBuild(m.Shards[0], s.Path, resumed.Build); err != nil {
			return err
		}
	}
	return nil
}

// note notes the result at a line of a shard's journal.
func (m *Merged) note(i int, line int32, r *invocations.Record) error {
	id, err := strconv.ParseUint(r.ID, 16, 64)
	switch {
	case err != nil || len(r.ID) != 16:
		return fmt.Errorf("the id %q of a result, want 16 hexadecimal digits", r.ID)
	case r.Place == nil:
		return fmt.Errorf("the result of %s has no place in the plan", r.Name)
	case *r.Place < 0 || *r.Place >= m.Of:
		return fmt.Errorf("the result of %s has the place %d in a plan of %d invocations", r.Name, *r.Place, m.Of)
	}
	status := slices.Index(m.statuses, r.Status)
	if status < 0 {
		status, m.statuses = len(m.statuses), append(m.statuses, r.Status)
	}
	if status > math.MaxUint8 {
		return fmt.Errorf("the result of %s has the status %q, the 257th different one", r.Name, r.Status)
	}
	s, seen := m.Shards[i], &m.seen[*r.Place]
	switch {
	case seen.shard == 0:
		s.invocations++
	case int(seen.shard) != i+1:
		return fmt.Errorf("%s, place %d of the plan, has a result in %s, too", r.Name, *r.Place, m.Shards[seen.shard-1].Path)
	case seen.id != id && r.Replaces != fmt.Sprintf("%016x", seen.id):
		return fmt.Errorf("%s has the place %d of the plan, and so has the result on line %d", r.Name, *r.Place, seen.line)
	default:
		s.superseded[seen.line] = true
	}
	*seen = seenResult{id, line, int32(i + 1), uint8(status), slices.Contains(r.Verdicts, invocations.PartialTrace)}
	return nil
}

// checkIDs checks that the results are those of the plan or, if some are missing, that none is there twice.
func (m *Merged) checkIDs() error {
	if len(m.Gaps) == 0 {
		hash := newHash()
		for _, seen := range m.seen {
			hash.add(seen.id)
		}
		if hash.text() != m.Shards[0].Header.Shard.Plan {
			return fmt.Errorf("%s and the other journals hold other invocations than those of the plan in their headers: "+
				"something has changed them", m.Shards[0].Path)
		}
		return nil
	}
	places := map[uint64]int{}
	for place, seen := range m.seen {
		if seen.shard == 0 {
			continue
		}
		if before, double := places[seen.id]; double {
			return fmt.Errorf("the places %d and %d of the plan have results with the same id %016x, in %s and %s", before,
				place, seen.id, m.Shards[m.seen[before].shard-1].Path, m.Shards[seen.shard-1].Path)
		}
		places[seen.id] = place
	}
	return nil
}

// count counts the results for the end line.
func (m *Merged) count() {
	for _, seen := range m.seen {
		if seen.shard == 0 {
			continue
		}
		m.Results++
		m.end.ByStatus[m.statuses[seen.status]]++
		if seen.partial {
			m.end.PartialTraces++
		}
	}
	m.end.Results = m.Results
}
