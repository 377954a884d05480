package trace

import "iter"

// Source is a set of zones that can be walked as often as one likes: a capture, or a table that somebody made of one.
//
// Each walk yields every zone once, those of one thread in post-order (a zone comes when its end is known, after its
// children), with the same ordinals in every walk. An error ends the walk; zones yielded before it are good.
type Source interface {
	Threads() []Thread
	Zones() iter.Seq2[Zone, error]
}
