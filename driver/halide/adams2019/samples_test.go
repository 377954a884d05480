package adams2019

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// gauss5 writes the samples of testdata to a folder and returns their paths, sorted.
func gauss5(t testing.TB) []string {
	t.Helper()
	archive, err := zip.OpenReader("testdata/gauss5.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	folder := t.TempDir()
	var paths []string
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, filepath.Base(f.Name))
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(path, ".sample") {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// changed returns a copy of data with a 32-bit word replaced.
func changed(data []byte, offset int, word uint32) []byte {
	data = bytes.Clone(data)
	binary.LittleEndian.PutUint32(data[offset:], word)
	return data
}

func TestSampleKeepsItsBytes(t *testing.T) {
	for _, path := range gauss5(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := ReadSample(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(s.Append(nil), data) {
			t.Errorf("%s: its bytes changed", path)
		}
	}
}

func TestSampleHoldsItsFeatures(t *testing.T) {
	paths := gauss5(t)
	folder := filepath.Dir(paths[0])
	features, err := ReadFeatures(filepath.Join(folder, "gauss5_batch_0002_sample_0006.featurization"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := ReadSample(filepath.Join(folder, "gauss5_batch_0002_sample_0006.sample"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.Features, features) || len(features) != 6 {
		t.Errorf("%d stages in the sample, %d in the features, or other values", len(s.Features), len(features))
	}
	if s.RuntimeMS != 0.470036 || s.PipelineID != 0 || s.ScheduleID != 20006 {
		t.Errorf("%v ms, pipeline %d, schedule %d", s.RuntimeMS, s.PipelineID, s.ScheduleID)
	}
}

// TestDamagedFiles: each kind of damage is an error that names the byte.
func TestDamagedFiles(t *testing.T) {
	sample := made(1, 1, 1, 2)[0]
	whole, nan, minus := sample.Append(nil), math.Float32bits(float32(math.NaN())), math.Float32bits(-1)
	tail := len(whole) - sampleTail
	weights := startingWeights().Append(nil)
	parse := map[string]func([]byte) error{
		"sample":   func(b []byte) error { _, err := ParseSample(b); return err },
		"features": func(b []byte) error { _, err := ParseFeatures(b); return err },
		"weights":  func(b []byte) error { _, err := ParseWeights(b); return err },
	}
	for _, test := range []struct {
		name, kind string
		data       []byte
		offset     int
		problem    string
	}{
		{"cut", "sample", whole[:len(whole)-5], len(whole) - 5, "the file ends here"},
		{"empty", "sample", nil, 0, "the file ends here"},
		{"no stage", "sample", make([]byte, sampleTail), sampleTail, "the file ends here"},
		{"longer", "sample", append(bytes.Clone(whole), 0), len(whole) + 1, "the file ends here"},
		{"time of zero", "sample", changed(whole, tail, 0), tail, "the run time is 0 ms"},
		{"no time", "sample", changed(whole, tail, nan), tail, "the run time is NaN ms"},
		{"long time", "sample", changed(whole, tail, math.Float32bits(100_001)), tail, "the run time is 100001 ms"},
		{"negative", "sample", changed(whole, 4*50, minus), 4 * 50, "-1 is no feature"},
		{"no number", "features", changed(whole[:tail], stageBytes+8, nan), stageBytes + 8, "NaN is no feature"},
		{"too large", "features", changed(whole[:tail], stageBytes+8, math.Float32bits(2e14)), stageBytes + 8,
			"schedule feature 2 is 2e+14"},
		{"empty", "features", nil, 0, "the file is empty"},
		{"half a stage", "features", whole[:stageBytes+40], stageBytes, "40 are left after 1 stages"},
		{"too long", "features", make([]byte, (mostStages+1)*stageBytes), mostStages * stageBytes, "at most 32164"},
		{"no weights", "weights", []byte("# weights"), 0, "does not begin as weights do"},
		{"empty", "weights", nil, 0, "the file has 0 bytes"},
		{"cut", "weights", weights[:1000], 1000, "the file has 1000 bytes; weights have 17136"},
		{"longer", "weights", append(bytes.Clone(weights), 1, 2), WeightsBytes, "the file has 17138 bytes"},
		{"version", "weights", changed(weights, 8, 4), 8, "the version of the schedule features is 0x4, not 0x3"},
		{"buffers", "weights", changed(weights, 12, 5), 12, "the number of buffers is 0x5"},
		{"dimensions", "weights", changed(weights, 16, 2), 16, "dimensions of head1_filter is 0x2, not 0x3"},
		{"extent", "weights", changed(weights, 24, 41), 24, "extent 1 of head1_filter is 0x29, not 0x28"},
		{"no number", "weights", changed(weights, WeightsBytes-4, nan), WeightsBytes - 4, "NaN in conv1_bias"},
	} {
		t.Run(test.kind+" "+test.name, func(t *testing.T) {
			err := parse[test.kind](test.data)
			var format *FormatError
			if !errors.As(err, &format) {
				t.Fatalf("%v is no FormatError", err)
			}
			if format.Offset != test.offset || !strings.Contains(format.Problem, test.problem) || format.Remedy == "" {
				t.Errorf("%v, not byte %d: %s", err, test.offset, test.problem)
			}
		})
	}
}

// TestReadSamplesLeavesDamagedOnesOut: the files that cannot be read are named, and the others are there.
func TestReadSamplesLeavesDamagedOnesOut(t *testing.T) {
	paths := gauss5(t)[:4]
	if err := os.Truncate(paths[1], 100); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(paths[2]); err != nil {
		t.Fatal(err)
	}
	samples, problems := ReadSamples(paths)
	if len(samples) != 2 || samples[0].File != paths[0] || samples[1].File != paths[3] {
		t.Errorf("%d samples", len(samples))
	}
	if len(problems) != 2 || problems[0].File != paths[1] || problems[1].File != paths[2] {
		t.Fatalf("problems %v", problems)
	}
	if !strings.Contains(problems[0].Err.Error(), paths[1]+": byte 100: ") ||
		!errors.Is(problems[1].Err, os.ErrNotExist) {
		t.Errorf("problems %v", problems)
	}
}

func TestWeightsKeepTheirBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.weights")
	w := startingWeights()
	if err := w.Write(path); err != nil {
		t.Fatal(err)
	}
	read, err := ReadWeights(path)
	if err != nil {
		t.Fatal(err)
	}
	if *read != *w {
		t.Error("other weights came back")
	}
	_, err = ReadWeights(path + "x")
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing weights: %v", err)
	}
	if err := os.Truncate(path, 4); err != nil {
		t.Fatal(err)
	}
	if _, err = ReadWeights(path); err == nil || !strings.Contains(err.Error(), path+": byte 4: ") {
		t.Errorf("damaged weights: %v", err)
	}
}

func FuzzSample(f *testing.F) {
	whole := made(1, 1, 1, 1)[0].Append(nil)
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, err := ParseSample(data); err == nil && !bytes.Equal(s.Append(nil), data) {
			t.Error("the bytes changed")
		}
	})
}

func FuzzFeatures(f *testing.F) {
	whole := made(1, 1, 1, 2)[0].Features.Append(nil)
	f.Add(whole)
	f.Add(whole[:stageBytes+1])
	f.Fuzz(func(t *testing.T, data []byte) {
		features, err := ParseFeatures(data)
		if err != nil {
			return
		}
		if !bytes.Equal(features.Append(nil), data) {
			t.Error("the bytes changed")
		}
		_, err = predict(startingWeights(), features, 4)
		if err != nil && !strings.Contains(err.Error(), "out of range") {
			t.Error(err)
		}
	})
}

func FuzzWeights(f *testing.F) {
	whole := startingWeights().Append(nil)
	f.Add(whole)
	f.Add(whole[:20])
	f.Add(changed(whole, 24, 41))
	f.Fuzz(func(t *testing.T, data []byte) {
		if w, err := ParseWeights(data); err == nil && !bytes.Equal(w.Append(nil), data) {
			t.Error("the bytes changed")
		}
	})
}
