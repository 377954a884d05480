package farm

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"zonemark/driver/combine"
	"zonemark/invocations"
)

// point makes an invocation with a limit of time, alone or in a group.
func point(name, group string, most time.Duration) *invocations.Invocation {
	inv := &invocations.Invocation{Name: name, Group: group}
	inv.Measure.MaxTimeNS = int64(most)
	return inv
}

func divide(t *testing.T, costs *Costs, count int, list ...*invocations.Invocation) *Division {
	t.Helper()
	d := NewDivider(len(list), costs)
	for i, inv := range list {
		d.Add(uint64(i)*0x9e3779b97f4a7c15, inv)
	}
	division, err := d.Divide(count)
	if err != nil {
		t.Fatal(err)
	}
	return division
}

// Every invocation is in one shard, groups are whole, and no shard costs more than the least one by more than a unit.
func TestDivideIsWholeAndBalanced(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var list []*invocations.Invocation
		units := map[string]time.Duration{}
		for i := range 20 + rng.IntN(200) {
			group := ""
			if rng.IntN(2) == 0 {
				group = fmt.Sprint("group ", rng.IntN(15))
			}
			inv := point(fmt.Sprint("row ", i), group, time.Duration(1+rng.IntN(5000))*time.Millisecond)
			list = append(list, inv)
			if group == "" {
				group = inv.Name
			}
			units[group] += combine.Expected(&inv.Measure)
		}
		count := 1 + rng.IntN(min(12, len(units)))
		d := divide(t, nil, count, list...)
		shardOf, sizes, costs := map[string]int{}, make([]int, count), make([]time.Duration, count)
		for place, inv := range list {
			shard := d.Of(place)
			sizes[shard]++
			costs[shard] += combine.Expected(&inv.Measure)
			if other, known := shardOf[inv.Group]; known && inv.Group != "" && other != shard {
				t.Fatalf("%s is in shards %d and %d", inv.Group, other, shard)
			}
			shardOf[inv.Group] = shard
		}
		largest := time.Duration(0)
		for _, cost := range units {
			largest = max(largest, cost)
		}
		if most, least := slices.Max(costs), slices.Min(costs); most-least > largest {
			t.Errorf("shards cost %v to %v, the largest unit %v", least, most, largest)
		}
		for i, p := range d.Parts {
			if p.Invocations != sizes[i] || p.Cost != costs[i] || sizes[i] == 0 {
				t.Errorf("shard %d: %+v, but it has %d invocations that cost %v", i, p, sizes[i], costs[i])
			}
		}
	}
}

// An axis with as many values as there are shards does not put one value into one shard.
func TestDivideDoesNotAlias(t *testing.T) {
	const count = 12
	var list []*invocations.Invocation
	for i := range 100 * count {
		list = append(list, point(fmt.Sprint(i), "", time.Second))
	}
	d := divide(t, nil, count, list...)
	values := make([]map[int]bool, count)
	for place := range list {
		shard := d.Of(place)
		if values[shard] == nil {
			values[shard] = map[int]bool{}
		}
		values[shard][place%count] = true
	}
	for shard, seen := range values {
		if len(seen) < count {
			t.Errorf("shard %d has only the values %v of an axis of %d", shard, seen, count)
		}
		if d.Parts[shard].Invocations != 100 {
			t.Errorf("shard %d has %d of 1200 equal invocations", shard, d.Parts[shard].Invocations)
		}
	}
}

// The hashes tell other plans and other divisions apart.
func TestDivideHashes(t *testing.T) {
	list := []*invocations.Invocation{point("a", "", 1), point("b", "", 1), point("c", "", 1), point("d", "", 1)}
	one := divide(t, nil, 2, list...).Shard(1)
	if again := divide(t, nil, 2, list...).Shard(1); again != one {
		t.Errorf("%+v, the second time %+v", one, again)
	}
	if one.Index != 1 || one.Count != 2 || one.Invocations != 2 || one.Of != 4 {
		t.Errorf("%+v", one)
	}
	grouped := slices.Clone(list)
	grouped[1], grouped[3] = point("b", "g", 1), point("d", "g", 1)
	if other := divide(t, nil, 2, grouped...).Shard(1); other.Plan != one.Plan || other.Division == one.Division {
		t.Errorf("the same plan in two divisions: %+v, %+v", one, other)
	}
	if other := divide(t, nil, 2, list[:3]...).Shard(1); other.Plan == one.Plan {
		t.Errorf("two plans: %+v, %+v", one, other)
	}
}

func TestTooManyShards(t *testing.T) {
	for _, c := range []struct {
		count int
		list  []*invocations.Invocation
		want  string
	}{
		{3, []*invocations.Invocation{point("a", "", 1), point("b", "", 1)}, "3 shards are too many: there are 2 invocations"},
		{2, []*invocations.Invocation{point("a", "g", 1), point("b", "g", 1)}, "those of a group stay together: at most 1 shards"},
	} {
		d := NewDivider(0, nil)
		for i, inv := range c.list {
			d.Add(uint64(i), inv)
		}
		if _, err := d.Divide(c.count); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// Costs of an earlier run decide, by id, then by name. What that run did not have is scaled as what it had.
func TestKnownCosts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "before.ndjson")
	if err := os.WriteFile(path, []byte(`{"kind":"header","version":1,"zonemark":"devel","started":"2026-11-22T03:26:23Z"}
{"kind":"result","id":"0000000000000000","name":"slow","runtime":"hat","artifact":"a","function":"f","status":"timeout","mode":"warm","spent_ns":9e9}
{"kind":"result","id":"ffffffffffffffff","name":"quick","runtime":"hat","artifact":"a","function":"f","status":"ok","mode":"warm","spent_ns":1e9}
{"kind":"result","id":"fffffffffffffffe","name":"older","runtime":"hat","artifact":"a","function":"f","status":"ok","mode":"warm","iterations":1000,"mean_ns":1e6,"rounds":5}
{"kind":"result","id":"fffffffffffffffd","name":"spoiled","runtime":"hat","artifact":"a","function":"f","status":"ok","mode":"warm","spent_ns":-1}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	costs, err := ReadCosts(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]time.Duration{"quick": 1e9, "older": 1.1e9} {
		if cost, known := costs.Of(1, name); cost != want || !known {
			t.Errorf("%s cost %v (%v), want %v", name, cost, known, want)
		}
	}
	if cost, known := costs.Of(3, "spoiled"); known {
		t.Errorf("a result with a spoiled cost cost %v", cost)
	}
	limit := 2*time.Second - 5*combine.LaunchCost // with its launches, two seconds are expected
	d := divide(t, costs, 2, point("renamed", "", limit), point("quick", "", limit), point("new", "", limit))
	if d.Of(0) == d.Of(1) || d.Of(1) != d.Of(2) { // 9 s by its id; 1 s by its name; the third is taken to need 5 s
		t.Errorf("in shards %d, %d, %d", d.Of(0), d.Of(1), d.Of(2))
	}
	if cost := d.Parts[d.Of(1)].Cost; cost != 6*time.Second {
		t.Errorf("a shard of a known and an unknown invocation is expected to cost %v", cost)
	}
}
