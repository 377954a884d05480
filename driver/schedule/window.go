package schedule

import "math/rand/v2"

// windowBlocks is the number of blocks, or of pairs, that are measured together, launch by launch by turns.
const windowBlocks = 8

// once has invocations called once each, in one executor, in a random order.
type once struct {
	series []*Series // that are left; the first one is next
}

func (s *Site) newOnce(block []int) *once {
	o := &once{}
	for _, i := range block {
		o.series = append(o.series, newSeries(s.Plan, i))
	}
	s.Random.Shuffle(len(o.series), func(i, j int) { o.series[i], o.series[j] = o.series[j], o.series[i] })
	return o
}

// Next returns the call of the next one.
func (o *once) Next() *Launch {
	if len(o.series) == 0 {
		return nil
	}
	return &Launch{Kind: Called, Series: o.series[:1:1], Supervised: true}
}

// Made says that the one that was called is finished.
func (o *once) Made() []Finished {
	called := o.series[0]
	o.series = o.series[1:]
	return []Finished{{Series: called}}
}

// Open returns those that were not called.
func (o *once) Open() []*Series { return o.series }

// window measures invocations launch by launch, in a new random order for each launch, so that slow changes of the
// machine affect all of them alike.
type window struct {
	site  *Site
	turns rotation[*Series]
}

func (s *Site) newWindow(positions []int) *window {
	w := &window{site: s, turns: rotation[*Series]{random: s.Random}}
	for _, i := range positions {
		w.turns.left = append(w.turns.left, newSeries(s.Plan, i))
	}
	return w
}

// Next returns a launch of the one whose turn it is.
func (w *window) Next() *Launch {
	s, is := w.turns.now()
	if !is {
		return nil
	}
	launch := w.turns.number
	// The last one of a round is followed by any of the next round, most often with the same limits. After one launch
	// each, first launches of others follow.
	following, begins := w.turns.following()
	return &Launch{
		Series: []*Series{s}, Number: launch, Supervised: launch == 0 && Supervises(&s.Measure),
		Shared:    s.Measure.Launches == 1,
		Following: following,
		FollowingSupervised: launch == 0 && Supervises(&following.Measure) &&
			(!begins || following.Measure.Launches == 1),
	}
}

// Made says whether the one that was launched is finished.
func (w *window) Made() []Finished {
	s, _ := w.turns.now()
	if !s.enough(w.site.Known) {
		w.turns.done(true)
		return nil
	}
	w.turns.done(false)
	return []Finished{{Series: s}}
}

// Open returns those that need further launches.
func (w *window) Open() []*Series { return w.turns.all() }

// rotation has all have their turn, in a new random order in each round, until none needs a further one.
type rotation[T any] struct {
	random *rand.Rand
	number int // of the round, 0-based
	round  []T // all that began it, in their order
	at     int // of the one whose turn it is
	left   []T // that need a further round
	begun  bool
}

// now returns the one whose turn it is. It reports false if none needs a turn.
func (r *rotation[T]) now() (one T, is bool) {
	if r.at < len(r.round) {
		return r.round[r.at], true
	}
	if len(r.left) == 0 {
		return one, false
	}
	if r.begun {
		r.number++
	}
	r.round, r.left, r.at, r.begun = r.left, nil, 0, true
	r.random.Shuffle(len(r.round), func(i, j int) { r.round[i], r.round[j] = r.round[j], r.round[i] })
	return r.round[0], true
}

// following returns the one that follows, and whether the next round begins with it, as far as it is known.
func (r *rotation[T]) following() (next T, begins bool) {
	at := (r.at + 1) % len(r.round)
	return r.round[at], at == 0
}

// done ends the turn. further tells whether the one that had it needs another one.
func (r *rotation[T]) done(further bool) {
	if further {
		r.left = append(r.left, r.round[r.at])
	}
	r.at++
}

// all returns those that are left.
func (r *rotation[T]) all() []T { return append(r.left[:len(r.left):len(r.left)], r.round[r.at:]...) }
