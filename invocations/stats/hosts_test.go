package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }

// The expected values are worked out by hand: mean squares among and inside hosts, and the number of launches that
// stands for unequal ones.
func TestComponentsOf(t *testing.T) {
	for _, c := range []struct {
		hosts           [][]float64
		within          float64
		between, launch float64 // variances
	}{
		// Means 10 and 20; inside (1+1+1+1)/2 = 2; among 4·25 = 100; (100-2)/2 = 49.
		{[][]float64{{9, 11}, {19, 21}}, 0, 49, 2},
		{[][]float64{{9, 11}, {19, 21}}, 1, 49, 1},
		// Means 10 and 20 of 3 and 1: mean 12.5; inside 8/2 = 4; among 3·6.25 + 56.25 = 75; 4 - 10/4 = 1.5 launches.
		{[][]float64{{8, 10, 12}, {20}}, 0, 71 / 1.5, 4},
		{[][]float64{{8, 10, 12}, nil, {20}}, 0, 71 / 1.5, 4},
		// One launch each: the variance of the medians, 50, beyond the error.
		{[][]float64{{10}, {20}}, 3, 41, 0},
		{[][]float64{{10, 20}, {10, 20}}, 0, 0, 50}, // hosts are equal
		{[][]float64{{10, 20}}, 0, 0, 50},
		{[][]float64{{10}}, 2, 0, 0},
		{nil, 0, 0, 0},
	} {
		got := ComponentsOf(c.hosts, c.within)
		if !near(got.Hosts*got.Hosts, c.between) || !near(got.Launches*got.Launches, c.launch) {
			t.Errorf("%v ± %v: %+v, want variances %v, %v", c.hosts, c.within, got, c.between, c.launch)
		}
	}
}

// normalHosts returns medians of launches with known components. The numbers of launches differ from host to host.
func normalHosts(rng *rand.Rand, hosts int, between, launch float64) (list [][]float64) {
	for h := range hosts {
		at := 1000 + between*rng.NormFloat64()
		var own []float64
		for range 3 + h%5 {
			own = append(own, at+launch*rng.NormFloat64())
		}
		list = append(list, own)
	}
	return list
}

// Over many experiments the estimated variances are on average the true ones. Neither a shift of all times nor the order
// of hosts matters, and a factor of all times is one of the components.
func TestComponentsProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const experiments, between, launch = 2000, 20.0, 5.0
	hostsVariance, launchVariance := 0.0, 0.0
	for range experiments {
		list := normalHosts(rng, 6, between, launch)
		c := ComponentsOf(list, 0)
		hostsVariance += c.Hosts * c.Hosts / experiments
		launchVariance += c.Launches * c.Launches / experiments
		changed := slices.Clone(list)
		slices.Reverse(changed)
		for i := range changed {
			changed[i] = slices.Clone(changed[i])
			for k := range changed[i] {
				changed[i][k] = 3 * (changed[i][k] + 100)
			}
		}
		other := ComponentsOf(changed, 0)
		if math.Abs(other.Hosts-3*c.Hosts) > 1e-6 || math.Abs(other.Launches-3*c.Launches) > 1e-6 {
			t.Fatalf("%v: %+v, and of the changed times %+v", list, c, other)
		}
	}
	if math.Abs(hostsVariance/(between*between)-1) > 0.06 || math.Abs(launchVariance/(launch*launch)-1) > 0.03 {
		t.Errorf("mean variances %v and %v, want %v and %v", hostsVariance, launchVariance, between*between, launch*launch)
	}
}

// The interval for any of the hosts holds the second run of each of them in 95 % of all experiments, also of those that
// differ from the others.
func TestOnAnyCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const experiments, hosts, launches = 3000, 3, 5
	run := func(at float64) []float64 {
		var list []float64
		for range launches {
			list = append(list, at+5*rng.NormFloat64())
		}
		return list
	}
	inside := make([]int, hosts)
	for range experiments {
		var own []Interval
		for h := range hosts {
			own = append(own, LaunchInterval(run(1000+10*float64(h))))
		}
		held := OnAny(own)
		for h := range hosts {
			if second := Median(run(1000 + 10*float64(h))); held.Low <= second && second <= held.High {
				inside[h]++
			}
		}
	}
	for h, n := range inside {
		if share := float64(n) / experiments; share < 0.94 {
			t.Errorf("host %d: %.1f %% of second runs are inside", h, 100*share)
		}
	}
}

func ExampleOnAny() {
	hosts := []Interval{{100, 98, 102}, {110, 109, 112}}
	fmt.Println(OnAny(hosts), Apart(hosts))
	fmt.Println(Apart([]Interval{{100, 98, 104}, {105, 103, 107}}))
	// Output:
	// {105 98 112} true
	// false
}

// A variant that is slower on one host and faster on another is not called slower, nor one that is the same only on
// average called the same, however many rounds there are.
func TestRankOnEachHost(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	variants := func(ratios ...float64) []Variant {
		list := []Variant{{Name: "base"}, {Name: "other"}}
		for r := range 40 {
			at := 1000 * (1 + 0.001*rng.NormFloat64())
			other := at * ratios[r%len(ratios)] * (1 + 0.001*rng.NormFloat64())
			list[0].PairedNS, list[1].PairedNS = append(list[0].PairedNS, at), append(list[1].PairedNS, other)
		}
		for i := range list {
			list[i].SamplesNS = list[i].PairedNS
		}
		return list
	}
	for _, c := range []struct {
		ratios []float64 // by host
		hosts  int
		want   Standing
	}{
		{[]float64{1.05, 1.10}, 2, Slower},
		{[]float64{0.98, 1.06, 1.06, 1.06}, 0, Slower}, // on most
		{[]float64{0.98, 1.06, 1.06, 1.06}, 4, Unknown},
		{[]float64{1.001, 1.002}, 2, Same},
		{[]float64{0.985, 1.016}, 2, Unknown},
	} {
		rows := Rank(variants(c.ratios...), RankOptions{Hosts: c.hosts}).Rows
		last := rows[1]
		narrow := c.hosts > 1 && c.ratios[0] > 1 && last.High < slices.Max(c.ratios)-0.005
		if last.Standing != c.want || narrow {
			t.Errorf("%v on %d hosts: %+v", c.ratios, c.hosts, last)
		}
	}
	few := variants(1.1, 1.2)
	for i := range few {
		few[i].PairedNS = few[i].PairedNS[:5]
	}
	if r := Rank(few, RankOptions{Hosts: 2}); r.Method != MedianIntervals {
		t.Errorf("one host has two rounds, and they are compared as %s", r.Method)
	}
}
