package sweeping

import (
	"fmt"
	"time"

	"zonemark/invocations/figures"
)

// clock tells how long a sweep will still take. Configurations of one operation take similar times, those of different
// operations do not: what is left of an operation is judged by its own rows once it has some, else by all rows.
type clock struct {
	began      time.Time
	last       time.Time // when the last row came
	operations []*work
	rows, all  int // that are there, and that there will be, with those of an earlier run
}

// work is what is left to be measured of an operation.
type work struct {
	*swept
	left  int // rows that are missing and that a runtime applies
	done  int // rows that were measured in this run
	spent time.Duration
}

// begin starts the clock of a sweep whose results are open.
func (c *clock) begin(list []*swept, sides []*side) {
	c.began = time.Now()
	c.last = c.began
	for _, o := range list {
		w := &work{swept: o}
		for i, side := range sides {
			missing := o.results[i].Missing()
			for _, configuration := range missing {
				if side.target.Refuses(configuration) == nil {
					w.left++
				}
			}
			c.rows, c.all = c.rows+len(o.configurations)-len(missing), c.all+len(o.configurations)
		}
		c.operations = append(c.operations, w)
	}
}

// measured takes note of a row that was measured.
func (c *clock) measured(o *swept) {
	now := time.Now()
	for _, w := range c.operations {
		if w.swept == o {
			w.left, w.done = w.left-1, w.done+1
			w.spent += now.Sub(c.last)
		}
	}
	c.rows++
	c.last = now
}

// notApplied takes note of a row that was not measured.
func (c *clock) notApplied() { c.rows++ }

func (c *clock) elapsed() time.Duration { return time.Since(c.began) }

// fewestRows is how many rows a time is judged by.
const fewestRows = 3

// remaining returns the time that is left, and by how many of the operations that are left or done in this run it is
// judged; false if there are too few rows to judge by.
func (c *clock) remaining() (left time.Duration, judged, all int, known bool) {
	var done int
	var spent time.Duration
	for _, w := range c.operations {
		done, spent = done+w.done, spent+w.spent
	}
	if done < fewestRows {
		return 0, 0, 0, false
	}
	for _, w := range c.operations {
		if w.left+w.done > 0 {
			all++
		}
		if w.done > 0 {
			judged++
		}
		if w.done >= fewestRows {
			left += w.spent / time.Duration(w.done) * time.Duration(w.left)
		} else {
			left += spent / time.Duration(done) * time.Duration(w.left)
		}
	}
	return left, judged, all, true
}

// position is where the sweep is: "[17/120] ".
func (c *clock) position() string { return fmt.Sprintf("[%d/%d] ", c.rows, c.all) }

// text says how long the sweep will still take: ", about 12 min left, judged by 1 of 3 operations". It is empty as long
// as nobody can tell.
func (c *clock) text() string {
	left, judged, all, known := c.remaining()
	if !known {
		return ""
	}
	text := ", about " + figures.Duration(left) + " left"
	if judged < all {
		text += fmt.Sprintf(", judged by %d of %d operations", judged, all)
	}
	return text
}
