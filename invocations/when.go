package invocations

// When says when something is done to the arguments before calls. The zero value is WhenAuto.
type When string

// WhenAuto does it if that changes the time of calls. WhenAlways does it in any case; an invocation whose runtime cannot
// do it is skipped. WhenNever leaves it.
const (
	WhenAuto   When = "auto"
	WhenAlways When = "always"
	WhenNever  When = "never"
)

// Whens returns all values of When that have a name.
func Whens() []When { return []When{WhenAuto, WhenAlways, WhenNever} }

// Auto reports whether the user has left it open.
func (w When) Auto() bool { return w == "" || w == WhenAuto }
