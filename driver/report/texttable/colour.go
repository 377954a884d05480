package texttable

// Colour is a colour of text on a terminal: the parameter of the sequence that selects it (ECMA-48, SGR).
type Colour string

// The colours.
const (
	Plain  Colour = ""
	Red    Colour = "31"
	Green  Colour = "32"
	Yellow Colour = "33"
)

// Paint returns a text in the colour.
func (c Colour) Paint(text string) string {
	if c == Plain {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}
