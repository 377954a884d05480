package schedule

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"zonemark/driver/plan"
)

// nothing is finished.
func nothing(int) bool { return false }

// queueOf returns a queue of a plan, in the order of the plan.
func queueOf(p *plan.Plan, workers int) *Queue {
	q := NewQueue(p, 1, workers, nothing)
	slices.SortStableFunc(q.blocks, func(a, b []int) int {
		if d := q.order(a) - q.order(b); d != 0 {
			return d
		}
		return a[0] - b[0]
	})
	return q
}

// grouped has groups of variants, named by upper and lower case letters.
func grouped(names string) *plan.Plan {
	return planOf(names, func(name string, p *plan.Entry) {
		if g := strings.ToUpper(name); strings.Contains(names, g) && strings.Contains(names, strings.ToLower(name)) {
			p.Invocation.Group = g
		}
	})
}

// How many blocks a worker takes depends on how many are left and on the workers. A single one has windows of eight,
// and races as they come.
func TestTake(t *testing.T) {
	once := func(_ string, p *plan.Entry) { p.Invocation.Measure.CheckOnly = true }
	usual := func(string, *plan.Entry) {}
	race := func(name string, p *plan.Entry) {
		if strings.Contains("abc", name) {
			p.MostLaunches = 30
		}
	}
	some := func(name string, p *plan.Entry) { p.Invocation.Measure.CheckOnly = strings.Contains("cf", name) }
	for _, c := range []struct {
		name    string
		names   string
		edit    func(string, *plan.Entry)
		workers int
		want    string // blocks that are taken together
	}{
		{"one worker", "abcdefghijkl", usual, 1, "abcdefgh ijkl"},
		{"two workers", "abcdefghijkl", usual, 2, "abc de f g h i j k l"},
		{"many workers", "abcd", usual, 100, "a b c d"},
		{"called once", "abc", once, 1, "a b c"},
		{"some are called once", "abcdefgh", some, 1, "c f abdegh"},
		{"races", "abcdefghijkl", race, 1, "abcdefghijk l"},
		{"races of two workers", "abcdefghijkl", race, 2, "abc de f g h i j k l"},
	} {
		p := planOf(c.names, c.edit)
		q := queueOf(p, c.workers)
		var got []string
		for blocks := q.Take(""); len(blocks) > 0; blocks = q.Take("") {
			text := ""
			for _, block := range blocks {
				for _, i := range block {
					text += p.At(i).Invocation.Name
				}
			}
			if !q.Busy() {
				t.Errorf("%s: nobody is busy", c.name)
			}
			q.Done()
			got = append(got, text)
		}
		if text := strings.Join(got, " "); text != c.want || q.Busy() || !q.Empty() || q.LeftBehind(nil) != nil {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
	}
}

// What is finished is not in the queue. The order follows from the seed.
func TestResumedQueue(t *testing.T) {
	p := planOf("abcdefgh", func(string, *plan.Entry) {})
	orders := map[string]bool{}
	for seed := range uint64(20) {
		q := NewQueue(p, seed, 1, func(i int) bool { return i < 5 })
		again := NewQueue(p, seed, 1, func(i int) bool { return i < 5 })
		text := fmt.Sprint(q.Take(""))
		if text != fmt.Sprint(again.Take("")) || !strings.Contains(text, "[5]") || len(text) != len("[[5] [6] [7]]") {
			t.Errorf("seed %d: %s", seed, text)
		}
		orders[text] = true
	}
	if len(orders) < 4 {
		t.Errorf("20 seeds have the orders %v", orders)
	}
}

// The rest of a group whose worker is lost goes to a worker of the same class only; if there is none, an error says so.
func TestLostGroupKeepsItsClass(t *testing.T) {
	for _, equal := range []bool{true, false} {
		q := queueOf(grouped("aAb"), 3)
		third := map[bool]string{true: "fast", false: "slow"}[equal]
		taken := q.Take("fast")
		if fmt.Sprint(taken) != "[[0 1]]" {
			t.Fatalf("the first one takes %v", taken)
		}
		q.Done()
		if n := q.GiveBack(taken, "fast", func(i int) bool { return i == 0 }); n != 1 {
			t.Errorf("%d are given back", n)
		}
		if got := q.Take("slow"); fmt.Sprint(got) != "[[2]]" {
			t.Errorf("one of another class takes %v", got)
		}
		got := q.Take(third)
		switch err := q.LeftBehind(nil); {
		case equal && (fmt.Sprint(got) != "[[1]]" || err != nil):
			t.Errorf("an equal one takes %v of what is left; %v", got, err)
		case !equal && (got != nil || err == nil || !strings.Contains(err.Error(), "no other host is equal") ||
			!strings.Contains(err.Error(), "fast")):
			t.Errorf("one that is not equal takes %v; %v", got, err)
		}
	}
}

// What was given back comes first, and binds its group only if some of it is finished.
func TestGiveBack(t *testing.T) {
	q := queueOf(grouped("aAbBc"), 2)
	first := q.Take("x")
	q.Done()
	if n := q.GiveBack(first, "x", nothing); n != 2 {
		t.Errorf("%d are given back", n)
	}
	if got := q.Take("y"); fmt.Sprint(got) != "[[0 1]]" {
		t.Errorf("it takes %v", got)
	}
	q.Bind("B", "x")
	if got := q.Take("y"); fmt.Sprint(got) != "[[4]]" {
		t.Errorf("it takes %v though B is bound", got)
	}
	if got := q.Take("x"); fmt.Sprint(got) != "[[2 3]]" {
		t.Errorf("it takes %v", got)
	}
}

// An invocation is to blame when its host was lost for the second time, and no other one is.
func TestBlame(t *testing.T) {
	q := queueOf(grouped("ab"), 1)
	why := errors.New("the cable is cut\nby a rat")
	for _, c := range []struct {
		position int
		want     string
	}{{0, ""}, {1, ""}, {0, "2 hosts were lost while it ran; the last one: the cable is cut"}} {
		if text, blame := q.Lost(c.position, why); text != c.want || blame != (c.want != "") {
			t.Errorf("%d: %q, %t", c.position, text, blame)
		}
	}
}

// What nobody has measured is told, with the reason why nobody came back.
func TestLeftBehind(t *testing.T) {
	q := queueOf(grouped("ab"), 1)
	for gone, want := range map[error]string{
		nil:                           "no host is left: nobody is there to measure",
		errors.New("n1 is gone\nfar"): "no host is left: n1 is gone",
	} {
		if err := q.LeftBehind(gone); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// What is called once comes first.
func TestCalledFirst(t *testing.T) {
	p := planOf("abcdefgh", func(name string, p *plan.Entry) {
		p.Invocation.Measure.CheckOnly = strings.Contains("adg", name)
	})
	for seed := range uint64(5) {
		q := NewQueue(p, seed, 1, nothing)
		var sizes []int
		for blocks := q.Take(""); len(blocks) > 0; blocks = q.Take("") {
			sizes = append(sizes, len(blocks))
		}
		if fmt.Sprint(sizes) != "[1 1 1 5]" {
			t.Errorf("seed %d: %v blocks are taken together", seed, sizes)
		}
	}
}
