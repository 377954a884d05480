package invocations

// Placement says whether launches differ in where code and data lie. The zero value is Vary.
type Placement string

// The placements. With Vary, each launch moves the stack, the timing loop and, by itself, each array that zonemark
// places, so that intervals cover what their places do to the time. With Fixed, all launches have one layout: arrays lie one
// behind the other from the begin of a page. Malloc is Vary with arrays of C functions and HAT packages that begin
// MallocOffset bytes behind a line, as long ones do that malloc returns.
const (
	Vary   Placement = "vary"
	Fixed  Placement = "fixed"
	Malloc Placement = "malloc"
)

// MallocOffset is what the C library keeps before what malloc returns: the memory of a long array begins with a page.
const MallocOffset = 16

// Ways is the number of ways in which launches make their calls, with other instructions before them: launch n has way
// n modulo Ways, unless Placement is Fixed.
const Ways = 4

// Placements returns all values of Placement that have a name.
func Placements() []Placement { return []Placement{Vary, Fixed, Malloc} }

// PlacementPage is the distance in bytes at which processors at first take a load for one from the address of an
// earlier store: places of arrays are told by their offsets from its multiples.
const PlacementPage = 4096

// ArrayPlace is where an array began in a launch.
type ArrayPlace struct {
	Name   string // of the argument
	Offset int64  // of the first byte, modulo PlacementPage
}

// ArrayOffsets are the places of an array in all launches of a result.
type ArrayOffsets struct {
	Name    string
	Offsets []int64 // modulo PlacementPage, one for each launch
}
