package platform

import "testing"

func TestBusyTimes(t *testing.T) {
	for text, want := range map[string][2]int64{
		"cpu  10 2 3 1000 50 4 5 6 7 8\ncpu0 1 2 3\n": {30, 1050},
		"cpu  10 2 3 1000":                            {15, 1000},
		"cpu0 10 2 3 1000":                            {},
		"cpu  10 2 x 1000":                            {},
		"cpu  10 2 -3 1000":                           {},
		"cpu  10 2 922337203685477 1":                 {},
		"cpu  10 2":                                   {},
		"":                                            {},
	} {
		if busy, idle := parseBusy([]byte(text)); busy != want[0]*procTick || idle != want[1]*procTick {
			t.Errorf("%q: %d ns busy and %d ns idle, want ticks %v", text, busy, idle, want)
		}
	}
	if busy, _ := BusyTimes(); busy <= 0 {
		t.Error("this machine has never been busy")
	}
}

func FuzzBusyTimes(f *testing.F) {
	f.Add([]byte("cpu  10 2 3 1000 50 4 5 6 7 8\ncpu0 1 2 3\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if busy, idle := parseBusy(text); busy < 0 || idle < 0 {
			t.Errorf("%q: %d ns busy and %d ns idle", text, busy, idle)
		}
	})
}
