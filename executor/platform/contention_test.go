package platform

import "testing"

func TestParseBusy(t *testing.T) {
	for text, want := range map[string][2]int64{
		"cpu  1 2 3 1000 2000 4 5 6 7 8\ncpu0 1 2 3 4 5 6 7 8 9 10\n": {21, 3000},
		"cpu  1 2 3 1000 2000 4 5 6":                                  {21, 3000},
		"cpu  1 2 3 1000":                                             {}, // before Linux 2.6.11
		"cpu0 1 2 3 1000 2000 4 5 6":                                  {},
		"cpu  1 2 x 1000 2000 4 5 6":                                  {},
		"cpu  1 2 -3 1000 2000 4 5 6":                                 {},
		"cpu  1 2 922337203685477 1000 2000 4 5 6":                    {},
		"": {},
	} {
		if busy, idle := parseBusy([]byte(text)); busy != want[0]*userTick || idle != want[1]*userTick {
			t.Errorf("%q: %d ns busy and %d ns idle, want ticks %v", text, busy, idle, want)
		}
	}
}

func FuzzParseBusy(f *testing.F) {
	f.Add([]byte("cpu  1 2 3 1000 2000 4 5 6 7 8\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if busy, idle := parseBusy(text); busy < 0 || idle < 0 {
			t.Errorf("%q: %d ns busy and %d ns idle", text, busy, idle)
		}
	})
}
