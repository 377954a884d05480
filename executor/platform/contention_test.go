package platform

import "testing"

func TestParseBusy(t *testing.T) {
	for text, want := range map[string]int64{
		"cpu  1 2 3 1000 2000 4 5 6 7 8\ncpu0 1 2 3 4 5 6 7 8 9 10\n": 21 * userTick,
		"cpu  1 2 3 1000 2000 4 5 6":                                  21 * userTick,
		"cpu  1 2 3 1000":                                             0, // before Linux 2.6.11
		"cpu0 1 2 3 1000 2000 4 5 6":                                  0,
		"cpu  1 2 x 1000 2000 4 5 6":                                  0,
		"cpu  1 2 -3 1000 2000 4 5 6":                                 0,
		"":                                                            0,
	} {
		if got := parseBusy([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func FuzzParseBusy(f *testing.F) {
	f.Add([]byte("cpu  1 2 3 1000 2000 4 5 6 7 8\n"))
	f.Fuzz(func(_ *testing.T, text []byte) { parseBusy(text) })
}
