package cli

import "testing"

// TestFilled: only paragraphs with lines that are too long are broken anew.
func TestFilled(t *testing.T) {
	const (
		long    = "A paragraph of a help text whose only line is quite a bit longer than eighty columns, as it was written."
		broken  = "A paragraph of a help text whose only line is quite a bit longer than eighty\ncolumns, as it was written."
		example = "  zonemark run model.mlir -t model.tracy -d model.csv   an example whose line is longer than eighty columns"
		usage   = "Usage: zonemark run [flags] [PATH…] a usage that has more than eighty columns [ARGUMENT…] [ARGUMENT…]\n       more"
	)
	for text, want := range map[string]string{
		"":                              "",
		"short\nlines\nstay\n":          "short\nlines\nstay\n",
		long + "\n":                     broken + "\n",
		"First.\n\n" + long + "\nNext.": "First.\n\n" + broken + " Next.\n",
		usage + "\n\nExamples:\n" + example + "\n": usage + "\n\nExamples:\n" + example + "\n",
	} {
		if got := filled(text); got != want {
			t.Errorf("%q\nbecomes %q\nwant    %q", text, got, want)
		}
	}
}
