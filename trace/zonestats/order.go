package zonestats

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// order is a way to sort groups: those with the greatest key first. Keys are not negative.
type order struct {
	name string
	key  func(*Group) int64
}

// float makes a key of a number that is not negative: such numbers have the order of their bits.
func float(x float64) int64 { return int64(math.Float64bits(x)) }

func orders() []order {
	return []order{
		{"total", func(z *Group) int64 { return z.TotalNS }},
		{"self", func(z *Group) int64 { return z.SelfNS }},
		{"mean", func(z *Group) int64 { return float(z.MeanNS()) }},
		{"median", func(z *Group) int64 { return float(z.MedianNS()) }},
		{"p90", func(z *Group) int64 { return float(z.QuantileNS(0.9)) }},
		{"max", func(z *Group) int64 { return z.MaxNS() }},
		{"count", func(z *Group) int64 { return z.Count }},
		{"name", func(*Group) int64 { return 0 }},
	}
}

// Orders returns the keys that Sort knows.
func Orders() (names []string) {
	for _, o := range orders() {
		names = append(names, o.name)
	}
	return names
}

// Sort puts the groups in the order of a key of Orders: the greatest first, equal ones and "name" by name, file and
// line.
func (s *Summary) Sort(key string) error {
	i := slices.IndexFunc(orders(), func(o order) bool { return o.name == key })
	if i < 0 {
		return fmt.Errorf("no order %q: want one of %s", key, strings.Join(Orders(), ", "))
	}
	list := make([]keyedGroup, len(s.Zones))
	for k, z := range s.Zones {
		list[k].group = z
	}
	sortGroups(list, make([]keyedGroup, len(list)), orders()[i].key, runtime.GOMAXPROCS(0))
	for k := range list {
		s.Zones[k] = list[k].group
	}
	return nil
}

// keyedGroup is a group with its key: a median takes long to find, so it is looked up once.
type keyedGroup struct {
	key   int64
	group *Group
}

func (x keyedGroup) compare(y keyedGroup) int {
	if c := cmp.Compare(y.key, x.key); c != 0 {
		return c
	}
	a, b := x.group, y.group
	if c := strings.Compare(a.Name, b.Name); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(a.Location.File, b.Location.File),
		cmp.Compare(a.Location.Line, b.Location.Line), cmp.Compare(a.TrackName(), b.TrackName()))
}

// leastShared is the number of groups from which sorting is shared between processors.
const leastShared = 4096

// sortGroups looks the keys up and sorts the list. Spare is as long as the list, for merging.
func sortGroups(list, spare []keyedGroup, key func(*Group) int64, processors int) {
	if processors < 2 || len(list) < leastShared {
		for k := range list {
			list[k].key = key(list[k].group)
		}
		slices.SortFunc(list, keyedGroup.compare)
		return
	}
	half := len(list) / 2
	var first sync.WaitGroup
	first.Go(func() { sortGroups(list[:half], spare[:half], key, processors/2) })
	sortGroups(list[half:], spare[half:], key, processors-processors/2)
	first.Wait()
	copy(spare, list)
	a, b := spare[:half], spare[half:]
	for k := range list {
		if len(b) == 0 || len(a) > 0 && a[0].compare(b[0]) <= 0 {
			list[k], a = a[0], a[1:]
		} else {
			list[k], b = b[0], b[1:]
		}
	}
}
