package trace

import "iter"

// FrameSet is a series of frames: of the program as a whole, or of one of its parts.
type FrameSet struct {
	Name       string // programFrames for the program as a whole
	Continuous bool   // each frame ends where the next begins
}

// Frame is one frame.
type Frame struct {
	Set        *FrameSet
	Index      int // in its set
	StartNS    int64
	DurationNS int64
	Unfinished bool // it ends with the capture
}

// Zone returns the frame as a zone at a location, which stands for its set.
func (f *Frame) Zone(at *Location) *Zone {
	return &Zone{Ordinal: -1, Parent: -1, Location: at, StartNS: f.StartNS, DurationNS: f.DurationNS, SelfNS: f.DurationNS,
		Unfinished: f.Unfinished}
}

// Whole reports whether the frame is one of the program, from its mark to the next one: Tracy itself begins the first
// frame of the program as a whole, and nothing ends the last one of a continuous set.
func (f *Frame) Whole() bool {
	return !f.Unfinished && (f.Set.Name != programFrames || !f.Set.Continuous || f.Index > 0)
}

// programFrames is the name of the frames of the program as a whole.
const programFrames = "Frame"

// storedFrames is the head of a frame set in the stream.
type storedFrames struct {
	name       uint64 // string pointer; 0: the program
	continuous bool
	count      int64
	size       int64 // of a frame
}

func (c *cursor) frameSet() storedFrames {
	s := storedFrames{name: c.u64(), continuous: c.u8() != 0, size: 8 + 8 + 4}
	if s.continuous {
		s.size = 8 + 4
	}
	s.count = c.count(s.size)
	return s
}

// skipFrames passes over all frame sets and returns how many frames are in them.
func skipFrames(c *cursor) (total int64) {
	c.section = "frames"
	for sets := c.count(17); sets > 0 && c.err == nil; sets-- {
		s := c.frameSet()
		total += s.count
		c.skip(s.count * s.size)
	}
	return total
}

// Frames iterates over the frames, set by set. An error ends the iteration.
func (f *File) Frames() iter.Seq2[Frame, error] {
	return func(yield func(Frame, error) bool) {
		c := f.pass("frames")
		defer c.close()
		c.skipTo(f.framesAt)
		for sets := c.count(17); sets > 0 && c.err == nil; sets-- {
			s := c.frameSet()
			set := &FrameSet{Name: f.pointers[s.name], Continuous: s.continuous}
			if s.name == 0 {
				set.Name = programFrames
			}
			if !f.frames(c, set, s.count, yield) {
				return
			}
		}
		if c.err != nil {
			yield(Frame{}, c.err)
		}
	}
}

// frames yields the frames of one set. A continuous frame is known only when the next has begun. It returns false when
// the caller has had enough.
func (f *File) frames(c *cursor, set *FrameSet, count int64, yield func(Frame, error) bool) bool {
	finish := func(frame Frame, end int64) Frame {
		if end < frame.StartNS {
			frame.Unfinished, end = true, max(f.info.LastTimeNS, frame.StartNS)
		}
		frame.DurationNS = end - frame.StartNS
		return frame
	}
	var now int64
	last := Frame{Index: -1}
	for i := range count {
		now += c.i64()
		frame, end := Frame{Set: set, Index: int(i), StartNS: now}, int64(-1)
		if !set.Continuous {
			now += c.i64()
			end = now
		}
		c.skip(4) // image
		if c.err != nil {
			break
		}
		if set.Continuous {
			frame, last, end = last, frame, frame.StartNS
			if frame.Index < 0 {
				continue
			}
		}
		if !yield(finish(frame, end), nil) {
			return false
		}
	}
	return last.Index < 0 || yield(finish(last, -1), nil)
}
