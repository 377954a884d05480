package trace

import (
	"os"
	"testing"

	"zonemark/trace/internal/tracytest"
)

// drained reads everything from a capture in memory, if it can be opened.
func drained(t *testing.T, data []byte) {
	tracytest.CheckMemory(t, len(data), 10, func() {
		f, err := openBytes(t, data)
		if err != nil {
			checkFormatError(t, err)
			return
		}
		defer f.Close()
		zones, err := drain(f)
		if err != nil {
			checkFormatError(t, err)
		} else if zones != f.Info().ZoneCount && !f.Info().Partial {
			t.Errorf("%d zones of %d, and no word about it", zones, f.Info().ZoneCount)
		}
	})
}

func FuzzContainer(f *testing.F) {
	for _, form := range tracytest.Forms() {
		f.Add(form.Pack(f, tracytest.Small(uint32(version0_14))))
	}
	for _, name := range []string{"small_0112", "small_0140"} {
		data, err := os.ReadFile("testdata/" + name + ".tracy")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(drained)
}

// FuzzStream fuzzes the inflated stream, in a container whose blocks are not compressed.
func FuzzStream(f *testing.F) {
	for _, v := range tracytest.Versions() {
		f.Add(tracytest.Small(v))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		drained(t, tracytest.Uncompressed(stream))
	})
}
