package zonestats

import (
	"iter"

	"zonemark/trace"
)

// framesTrack is the track of frames.
const framesTrack = "frames"

// tracks sums up what is not on threads: each track by itself.
type tracks struct {
	sums    *Summary
	options Options
	seen    trace.Watcher
	list    []*summarizer
	names   []string
	index   map[string]int
}

func (s *Summary) newTracks(o Options) *tracks {
	return &tracks{sums: s, options: o, seen: trace.Watcher{Call: o.Watch}, index: map[string]int{}}
}

// add adds a stretch of time to a track. One whose times never arrived is only counted.
func (t *tracks) add(track string, z *trace.Zone) error {
	if err := t.seen.Seen(1); err != nil {
		return err
	}
	if z.Unfinished {
		t.sums.Unfinished++
		return nil
	}
	i, known := t.index[track]
	if !known {
		i = len(t.list)
		t.index[track], t.list, t.names = i, append(t.list, newSummarizer(t.options)), append(t.names, track)
	}
	m := t.list[i]
	m.inside(z.StartNS, z.DurationNS, z.SelfNS)
	if t.options.Select == nil || t.options.Select(z) {
		m.groups.at(m.group(z.Location.Label(), z.Location)).add(z.DurationNS, z.SelfNS, t.options.Self, z.Repeats)
	}
	return nil
}

// finish adds the groups of all tracks to the summary, behind those of threads.
func (t *tracks) finish() {
	for i, m := range t.list {
		part := m.finish()
		track := &Track{t.names[i], part.Count, part.InsideNS}
		for _, g := range part.Zones {
			g.Track = track
		}
		t.sums.Zones = append(t.sums.Zones, part.Zones...)
		t.sums.Tracks = append(t.sums.Tracks, track)
	}
}

// AddGPU adds the GPU zones of a capture, each context as a track. An error of the zones is returned after what was read.
func (s *Summary) AddGPU(zones iter.Seq2[trace.GPUZone, error], o Options) error {
	t := s.newTracks(o)
	defer t.finish()
	for z, err := range zones {
		if err == nil {
			err = t.add(z.ContextName, z.Zone())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// SummarizeFrames sums up the whole frames of a capture, a group for each set of them. The groups are on a track of their
// own. An error of the frames is returned after what was read.
func SummarizeFrames(frames iter.Seq2[trace.Frame, error], o Options) (*Summary, error) {
	s := &Summary{Self: o.Self}
	t := s.newTracks(o)
	defer t.finish()
	places := map[*trace.FrameSet]*trace.Location{}
	for f, err := range frames {
		if err != nil {
			return s, err
		}
		if !f.Whole() {
			continue
		}
		at := places[f.Set]
		if at == nil {
			at = &trace.Location{Name: f.Set.Name}
			places[f.Set] = at
		}
		if err := t.add(framesTrack, f.Zone(at)); err != nil {
			return s, err
		}
	}
	return s, nil
}
