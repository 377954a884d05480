package adams2019

import (
	"encoding/binary"
	"fmt"
	"slices"

	"zonemark/invocations/files"
)

// Weights are the parameters of the network, in the order of a .weights file: the first index varies slowest there, and
// the channel fastest.
type Weights struct {
	Head1Filter [types][properties][pipelineOut]float32 // of pipeline features
	Head1Bias   [pipelineOut]float32
	Head2Filter [ScheduleFeatures][scheduleOut]float32 // of schedule features
	Head2Bias   [scheduleOut]float32
	Conv1Filter [pipelineOut + scheduleOut][coefficients]float32 // of the channels of both heads
	Conv1Bias   [coefficients]float32
}

// The head of a .weights file. Halide's Weights.cpp describes the format: five numbers, then each buffer with the
// number of its dimensions, its extents (innermost first), and its values. All are little-endian and have four bytes.
const (
	weightsMagic    = 0x68776631 // "1fwh" in the file
	featuresVersion = 3          // of both kinds of features, for Halide 14 to 21

	// WeightsBytes is the size of a .weights file.
	WeightsBytes = 4 * (4 + parameters + 6 + 3 + 1 + 2 + 1 + 2 + 1)
	parameters   = PipelineFeatures*pipelineOut + pipelineOut + ScheduleFeatures*scheduleOut + scheduleOut +
		coefficients*coefficients + coefficients

	otherWeights = "take weights that Halide 21 or zonemark wrote, or begin with the baseline weights"
)

// buffer is one array of the file.
type buffer struct {
	name    string
	extents []uint32 // innermost first
	rows    [][]float32
}

// buffers returns the arrays in the order of the file. They share memory with w.
func (w *Weights) buffers() [6]buffer {
	var head1, head2, conv1 [][]float32
	for t := range w.Head1Filter {
		for p := range w.Head1Filter[t] {
			head1 = append(head1, w.Head1Filter[t][p][:])
		}
	}
	for i := range w.Head2Filter {
		head2 = append(head2, w.Head2Filter[i][:])
	}
	for i := range w.Conv1Filter {
		conv1 = append(conv1, w.Conv1Filter[i][:])
	}
	return [6]buffer{
		{"head1_filter", []uint32{pipelineOut, properties, types}, head1},
		{"head1_bias", []uint32{pipelineOut}, [][]float32{w.Head1Bias[:]}},
		{"head2_filter", []uint32{scheduleOut, ScheduleFeatures}, head2},
		{"head2_bias", []uint32{scheduleOut}, [][]float32{w.Head2Bias[:]}},
		{"conv1_filter", []uint32{coefficients, pipelineOut + scheduleOut}, conv1},
		{"conv1_bias", []uint32{coefficients}, [][]float32{w.Conv1Bias[:]}},
	}
}

func (w *Weights) finite() bool {
	for _, b := range w.buffers() {
		for _, row := range b.rows {
			if slices.ContainsFunc(row, func(v float32) bool { return !finite(v) }) {
				return false
			}
		}
	}
	return true
}

// weightsReader goes through the bytes of a file whose length is right.
type weightsReader struct {
	data   []byte
	offset int
}

// expect reads a number that must have one value.
func (r *weightsReader) expect(want uint32, what string) error {
	got := binary.LittleEndian.Uint32(r.data[r.offset:])
	if got != want {
		return &FormatError{Offset: r.offset, Remedy: otherWeights, Problem: fmt.Sprintf("%s is %#x, not %#x", what,
			got, want)}
	}
	r.offset += 4
	return nil
}

// ParseWeights reads the contents of a .weights file. The error is a *FormatError: other extents, other versions of the
// features, a length that is not exact, and values that are not finite are errors.
func ParseWeights(data []byte) (*Weights, error) {
	if len(data) >= 4 && binary.LittleEndian.Uint32(data) != weightsMagic {
		return nil, &FormatError{Problem: "the file does not begin as weights do", Remedy: otherWeights}
	}
	if len(data) != WeightsBytes {
		return nil, &FormatError{Offset: min(len(data), WeightsBytes), Remedy: otherWeights, Problem: fmt.Sprintf(
			"the file has %d bytes; weights have %d", len(data), WeightsBytes)}
	}
	r := weightsReader{data, 4}
	w := new(Weights)
	buffers := w.buffers()
	for _, field := range []struct {
		want uint32
		what string
	}{
		{featuresVersion, "the version of the pipeline features"},
		{featuresVersion, "the version of the schedule features"},
		{uint32(len(buffers)), "the number of buffers"},
	} {
		if err := r.expect(field.want, field.what); err != nil {
			return nil, err
		}
	}
	for _, b := range buffers {
		if err := r.buffer(b); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (r *weightsReader) buffer(b buffer) error {
	if err := r.expect(uint32(len(b.extents)), "the number of dimensions of "+b.name); err != nil {
		return err
	}
	for i, extent := range b.extents {
		if err := r.expect(extent, fmt.Sprintf("extent %d of %s", i, b.name)); err != nil {
			return err
		}
	}
	for _, row := range b.rows {
		for i := range row {
			row[i] = floatAt(r.data, r.offset)
			if !finite(row[i]) {
				return &FormatError{Offset: r.offset, Remedy: otherWeights, Problem: fmt.Sprintf("%v in %s is no "+
					"weight", row[i], b.name)}
			}
			r.offset += 4
		}
	}
	return nil
}

// ReadWeights reads a .weights file. The error names the file. Halide's own programs go on with random weights if a
// file is missing or damaged; check with this function before you hand them one.
func ReadWeights(path string) (*Weights, error) {
	data, err := files.Read(path)
	if err != nil {
		return nil, fmt.Errorf("weights of the cost model: %w", err)
	}
	w, err := ParseWeights(data)
	if err != nil {
		return nil, inFile(path, err)
	}
	return w, nil
}

// Append appends the bytes of a .weights file, as Halide writes it.
func (w *Weights) Append(b []byte) []byte {
	buffers := w.buffers()
	for _, v := range []uint32{weightsMagic, featuresVersion, featuresVersion, uint32(len(buffers))} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	for _, array := range buffers {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(array.extents)))
		for _, extent := range array.extents {
			b = binary.LittleEndian.AppendUint32(b, extent)
		}
		for _, row := range array.rows {
			b = appendFloats(b, row)
		}
	}
	return b
}

// Write writes a .weights file, in one step: nobody finds half a file.
func (w *Weights) Write(path string) error { return files.Write(path, 0o644, w.Append(nil)) }
