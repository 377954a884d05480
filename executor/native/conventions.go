package native

import "strings"

// Unkept is the error of a function that does not leave behind what the calling convention makes it keep. Its callers
// go on with wrong registers, so what they do afterwards, and how long it takes, means nothing.
type Unkept struct {
	What []string // as people name it, such as "r12"
}

func (u *Unkept) Error() string {
	return "the function does not keep " + strings.Join(u.What, ", ") + " (" + convention +
		"): its callers compute with what they have there; restore it before the function returns"
}

// RunChecked makes calls of the function, untimed, with the next frames of the ring, and compares after each call what
// the calling convention makes a function keep. It returns an *Unkept after the first call that does not keep all of
// it. The portable engine makes the calls and compares nothing.
func (l *Loop) RunChecked(calls int) error {
	if l.memory == nil {
		return nil
	}
	for range calls {
		if unkept := l.checked(); len(unkept) > 0 {
			return &Unkept{What: unkept}
		}
	}
	return nil
}

// ReadsClock reports whether a checked call has read the processor's clock; false if nobody has looked.
func (l *Loop) ReadsClock() bool { return l.readsClock }
