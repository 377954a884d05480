package trace

import (
	"os"
	"runtime"
	"testing"
)

// checkMemory runs read and fails if it allocated far more than a file of this size justifies. Buffers and decoders of every stream are allowed for.
func checkMemory(t *testing.T, size int, passes int64, read func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	read()
	runtime.ReadMemStats(&after)
	if taken := int64(after.TotalAlloc - before.TotalAlloc); taken > passes*(2*budgetOf(int64(size))+(16<<20)) {
		t.Errorf("%d bytes of input took %d bytes of memory", size, taken)
	}
}

// drained reads everything from a capture in memory, if it can be opened.
func drained(t *testing.T, data []byte) {
	checkMemory(t, len(data), 10, func() {
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
		if sums, err := f.Summarize(StatisticsOptions{}); sums.Count != zones {
			t.Errorf("%d zones summed up of %d: %v", sums.Count, zones, err)
		}
		var written rowCounter
		if err := WriteCSV(&written, f, CSVOptions{Unwrap: true}); written.rows != zones+1 {
			t.Errorf("%d rows, header included, of %d zones: %v", written.rows, zones, err)
		}
	})
}

// rowCounter counts the rows of a table: ends of lines outside quotes.
type rowCounter struct {
	rows   int64
	quoted bool
}

func (c *rowCounter) Write(p []byte) (int, error) {
	for _, b := range p {
		switch {
		case b == '"':
			c.quoted = !c.quoted
		case b == '\n' && !c.quoted:
			c.rows++
		}
	}
	return len(p), nil
}

func FuzzContainer(f *testing.F) {
	for _, form := range containerForms() {
		f.Add(form.pack(f, syntheticStream(version0_14)))
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
	for _, v := range []version{version0_9, version0_9_2, version0_11_1, version0_11_2, version0_12_3, version0_12_4, version0_13_2, version0_13_4, version0_13_5, version0_14} {
		f.Add(syntheticStream(v))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		data := []byte{'t', 'r', 0xFD, 'P', 0, 2}
		for len(stream) > 0 {
			n := min(len(stream), blockSize)
			data = appendBlock(data, literals(stream[:n]))
			stream = stream[n:]
		}
		drained(t, data)
	})
}
