package stats

// What a comparison of two sides goes by if the user says nothing else.
const (
	UsualMargin = 0.01  // relative difference that does not matter
	UsualFloor  = 0.003 // relative difference below which nothing is called faster or slower
	UsualAlpha  = 0.01  // chance of calling any row faster or slower if none is
)

// Outcome is what a difference says of the new side.
type Outcome int

// The outcomes. Unsure is not Alike: the runs cannot tell.
const (
	Unsure  Outcome = iota
	Alike           // the difference lies within the margin
	Longer          // by more than chance and the floor
	Shorter         // likewise
)

// Decide returns the outcome of a comparison. Differs says that its p-value stands up to the correction for all
// comparisons that were made with it. Margin and floor are relative differences.
func (d *Difference) Decide(differs bool, margin, floor float64) Outcome {
	switch {
	case d.SameLow >= 1/(1+margin) && d.SameHigh <= 1+margin:
		return Alike
	case differs && d.Low > 1+floor:
		return Longer
	case differs && d.High < 1/(1+floor):
		return Shorter
	}
	return Unsure
}
