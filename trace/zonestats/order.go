package zonestats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
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
	type keyed struct {
		key   int64 // a median takes long to find, so it is looked up once
		group *Group
	}
	by, list := orders()[i].key, make([]keyed, len(s.Zones))
	for k, z := range s.Zones {
		list[k] = keyed{by(z), z}
	}
	slices.SortFunc(list, func(x, y keyed) int {
		if c := cmp.Compare(y.key, x.key); c != 0 {
			return c
		}
		a, b := x.group, y.group
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Location.File, b.Location.File),
			cmp.Compare(a.Location.Line, b.Location.Line))
	})
	for k := range list {
		s.Zones[k] = list[k].group
	}
	return nil
}
