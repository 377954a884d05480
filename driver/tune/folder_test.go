package tune

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/driver/halide/adams2019"
	"zonemark/invocations"
)

// madeUp returns features of a schedule of two stages; other numbers are other schedules of the same pipeline.
func madeUp(number int) adams2019.Features {
	f := make(adams2019.Features, 2)
	for i := range f {
		for j := range f[i].Schedule {
			f[i].Schedule[j] = float32(1 + (i+j)%5)
		}
		f[i].Schedule[2] = float32(10 + number)
		f[i].Pipeline[3] = 2
	}
	return f
}

// madeFiles writes the files of a schedule as a generator makes them.
func madeFiles(t *testing.T, number int) map[string]string {
	t.Helper()
	folder := t.TempDir()
	files := map[string]string{}
	for ending, data := range map[string][]byte{
		Library: fmt.Appendf(nil, "library %d", number), Schedule: fmt.Appendf(nil, "// schedule %d", number),
		Featurization: madeUp(number).Append(nil),
	} {
		files[ending] = filepath.Join(folder, "file"+ending)
		if err := os.WriteFile(files[ending], data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func madeOK(name string) Made {
	return Made{Name: name, Function: name, Pipeline: Pipeline{Name: "p"}, Status: invocations.OK, Target: "x86-64-linux"}
}

var settings = Settings{
	Halide: "21.0.0", Target: "x86-64-linux", Parallelism: 2, Beam: 32,
	Pipelines: []Pipeline{{Name: "p", Source: "p.py", Fingerprint: "1"}},
}

// begin opens the folder of a tuning, and begins the tuning if it is new.
func begin(t *testing.T, path string) *Folder {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.SetStart(&adams2019.Weights{}); err != nil {
		t.Fatal(err)
	}
	if err := f.Begin(settings); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// keepSample makes a sample of a batch with a time.
func keepSample(t *testing.T, f *Folder, s Sample, number int, ns float64) Made {
	t.Helper()
	b := f.Batch(s.Batch)
	m, err := b.Keep(madeOK(s.Name()), madeFiles(t, number))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Measured(s, m, Timing{MedianNS: ns}); err != nil {
		t.Fatal(err)
	}
	return m
}

// A second tuner is refused, in this process and in another one; when the first has ended, however it ended, the next
// one gets the folder.
func TestTwoTuners(t *testing.T) {
	if path := os.Getenv("TUNE_TEST_FOLDER"); path != "" {
		_, err := Open(path)
		fmt.Println(err)
		return
	}
	path := filepath.Join(t.TempDir(), "tuning")
	first, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	other := func() string {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestTwoTuners$")
		cmd.Env = append(os.Environ(), "TUNE_TEST_FOLDER="+path)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	if said := other(); !strings.Contains(said, path+": another process tunes in this folder") {
		t.Errorf("the second tuner was told %q", said)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if said := other(); !strings.HasPrefix(said, "<nil>") {
		t.Errorf("after the first has ended, the second was told %q", said)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		file, text, want string
	}{
		"other files":     {"notes.txt", "x", "it holds notes.txt and is not the folder of a tuning"},
		"torn settings":   {settingsFile, `{"format": 1, "hal`, "unexpected end of JSON input"},
		"later program":   {settingsFile, `{"format": 7}`, "its layout has the version 7"},
		"not a tuning's":  {"batch_0001", "x", "it holds batch_0001"},
		"settings of any": {settingsFile, `[]`, "cannot unmarshal"},
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, c.file), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err == nil {
			f.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, which lacks %q or the path", name, err, c.want)
		}
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file); err == nil || !strings.Contains(err.Error(), "this is a file") {
		t.Errorf("a file: %v", err)
	}
}

// Samples of different machines, weights and pipelines do not get into one folder.
func TestBeginCompares(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tuning")
	f := begin(t, path)
	for _, c := range []struct {
		change func(*Settings)
		want   string
	}{
		{func(s *Settings) { s.Target = "arm-64-linux" }, "the target was x86-64-linux, and now is arm-64-linux"},
		{func(s *Settings) { s.Halide = "22.0.0" }, "the release of Halide was 21.0.0"},
		{func(s *Settings) { s.Parallelism = 8 }, "the parallelism was 2, and now is 8"},
		{func(s *Settings) { s.Beam = 1 }, "the width of the beam was 32"},
		{func(s *Settings) { s.Pipelines[0].Fingerprint = "2" }, "the source of the pipeline p"},
		{func(s *Settings) { s.Pipelines[0].Parameters = map[string]string{"a": "1"} }, "had the parameters map[]"},
	} {
		changed := settings
		changed.Pipelines = slices.Clone(settings.Pipelines)
		c.change(&changed)
		if err := f.Begin(changed); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, not %q", err, c.want)
		}
	}
	if err := f.Begin(settings); err != nil {
		t.Errorf("the same settings: %v", err)
	}
	other := &adams2019.Weights{}
	other.Head1Bias[0] = 1
	if _, err := f.SetStart(other); err == nil || !strings.Contains(err.Error(), "has begun with other weights") {
		t.Errorf("other weights: %v", err)
	}
	// A pipeline that is new joins those that are there.
	second := settings
	second.Pipelines = []Pipeline{{Name: "q", Fingerprint: "3"}}
	if err := f.Begin(second); err != nil {
		t.Fatal(err)
	}
	f.Close()
	again, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	names := slices.Sorted(maps.Values(again.PipelineNames()))
	if !slices.Equal(names, []string{"p", "q"}) {
		t.Errorf("pipelines %v, not p and q", names)
	}
}

// A file of a sample counts only if it is whole: whichever byte a killed process has written last, the sample is made
// again or is what it was.
func TestSampleCutAnywhere(t *testing.T) {
	f := begin(t, t.TempDir())
	b, s := f.Batch(1), Sample{"p", 1, 3}
	whole := keepSample(t, f, s, 3, 5e6)
	if m, err := b.Read(s); err != nil || m.ScheduleKey() != whole.ScheduleKey() || !m.HasLibrary() {
		t.Fatalf("%+v, %v", m, err)
	}
	for _, ending := range []string{madeSuffix, Featurization, Schedule} {
		data, err := os.ReadFile(whole.File(ending))
		if err != nil {
			t.Fatal(err)
		}
		step := max(1, len(data)/97)
		for n := 0; n < len(data)-1; n += step { // the last byte of the description is a line end
			if err := os.WriteFile(whole.File(ending), data[:n], 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Read(s); err == nil {
				t.Fatalf("%s with %d of %d bytes counts", ending, n, len(data))
			}
		}
		if err := os.WriteFile(whole.File(ending), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(whole.File(Library), []byte("lib"), 0o600); err != nil {
		t.Fatal(err)
	}
	if m, err := b.Read(s); err != nil || m.HasLibrary() {
		t.Errorf("a torn library counts, or a sample without library does not: %v", err)
	}
	if err := os.Remove(whole.File(madeSuffix)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Read(s); !os.IsNotExist(err) {
		t.Errorf("files without a description: %v", err)
	}
}

// A failed sample is kept with its status, and needs no files.
func TestFailedSample(t *testing.T) {
	f := begin(t, t.TempDir())
	s := Sample{"p", 1, 0}
	m := madeOK(s.Name())
	m.Status, m.Error = invocations.Timeout, "too slow"
	if _, err := f.Batch(1).Keep(m, nil); err != nil {
		t.Fatal(err)
	}
	got, err := f.Batch(1).Read(s)
	if err != nil || got.Status != invocations.Timeout || got.Error != "too slow" || got.HasLibrary() {
		t.Errorf("%+v, %v", got, err)
	}
}

// Damaged samples are left out and told of; the others are trained on.
func TestDamagedSamples(t *testing.T) {
	f := begin(t, t.TempDir())
	for n := range 4 {
		keepSample(t, f, Sample{"p", 1, n}, n, float64(n+1)*1e6)
	}
	keepSample(t, f, Sample{"p", 2, 0}, 9, 9e6)
	one := f.Batch(1)
	torn := filepath.Join(one.path, Sample{"p", 1, 2}.Name()+sampleSuffix)
	if err := os.Truncate(torn, 100); err != nil {
		t.Fatal(err)
	}
	foreign := adams2019.Sample{Features: madeUp(1), RuntimeMS: 1, PipelineID: 77}
	if err := foreign.Write(filepath.Join(one.path, "foreign.sample")); err != nil {
		t.Fatal(err)
	}
	samples, problems := f.Batch(2).SamplesUpTo()
	if len(samples) != 4 || len(problems) != 2 {
		t.Fatalf("%d samples and %d problems, not 4 and 2: %v", len(samples), len(problems), problems)
	}
	for _, p := range problems {
		if !strings.Contains(p.Err.Error(), p.File) {
			t.Errorf("%v does not name %s", p.Err, p.File)
		}
	}
}

// A batch is finished when its weights and its report are there, and only then.
func TestBatchFinishes(t *testing.T) {
	f := begin(t, t.TempDir())
	b := f.Batch(1)
	used, err := b.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, finished := b.Report(); finished {
		t.Error("a batch that was begun is finished")
	}
	updated := *used
	updated.Conv1Bias[0] = 0.5
	if err := b.Finish(&updated, Report{Batch: 1, Asked: 2}); err != nil {
		t.Fatal(err)
	}
	if r, finished := b.Report(); !finished || r.Asked != 2 {
		t.Errorf("report %+v, %v", r, finished)
	}
	next, err := f.Batch(2).Begin()
	if err != nil || *next != updated {
		t.Errorf("the next batch is not scheduled with what the first has taught: %v", err)
	}
	if path, err := WeightsOf(f.Path()); err != nil || path != f.UpdatedWeights() {
		t.Errorf("%s, %v", path, err)
	}
	for _, name := range []string{reportFile, updatedWeights} {
		path := filepath.Join(b.path, name)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data[:len(data)/2], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, finished := b.Report(); finished {
			t.Errorf("with half of %s, the batch is finished", name)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Finish(&updated, Report{Batch: 1, Asked: 3, Cut: true}); err != nil {
		t.Fatal(err)
	}
	if r, finished := b.Report(); finished || r.Asked != 3 {
		t.Errorf("a batch that was cut short: %+v, %v", r, finished)
	}
	if err := os.Truncate(b.UsedWeights(), 10); err != nil {
		t.Fatal(err)
	}
	if again, err := b.Begin(); err != nil || *again != *used {
		t.Errorf("damaged used weights are not made again: %v", err)
	}
}
