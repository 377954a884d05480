package tune

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"zonemark/driver/halide/adams2019"
	"zonemark/invocations"
)

// Whatever the files of a tuning hold, it is refused or read, and what counts as a sample has whole files.
func FuzzFolder(f *testing.F) {
	seed := func(v any) []byte {
		text, err := json.Marshal(v)
		if err != nil {
			f.Fatal(err)
		}
		return text
	}
	made := madeOK("p_batch_0001_sample_0000")
	made.Files = map[string]string{Featurization: "00", Library: "11"}
	begun := settings
	begun.Format = format
	f.Add(seed(begun), seed(made), seed(Report{Batch: 1, Pipelines: []PipelineReport{{Pipeline: "p"}}}))
	f.Add([]byte("{}"), []byte(`{"name":"p_batch_0001_sample_0000","status":"failed"}`), []byte("null"))
	f.Add([]byte(`{"format":1,"pipelines":null}`), []byte(`{"files":{"/../x":""}}`), []byte(`{"batch":1,"epochs":[{}]}`))
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, settings, description, report []byte) {
		batch := filepath.Join(folder, "batch_0001")
		if err := os.MkdirAll(batch, 0o700); err != nil {
			t.Fatal(err)
		}
		s := Sample{Pipeline: "p", Batch: 1}
		for path, text := range map[string][]byte{
			filepath.Join(folder, settingsFile):           settings,
			filepath.Join(batch, s.Name()+madeSuffix):     description,
			filepath.Join(batch, reportFile):              report,
			filepath.Join(folder, "best", "p"+madeSuffix): description,
		} {
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		opened, err := Open(folder)
		if err != nil {
			return
		}
		defer opened.Close()
		if m, err := opened.Batch(1).Read(s); err == nil && m.Status == invocations.OK {
			if _, err := adams2019.ReadFeatures(m.File(Featurization)); err != nil {
				t.Errorf("%+v counts as made: %v", m, err)
			}
		}
		if _, finished := opened.Batch(1).Report(); finished {
			t.Error("a batch without weights is finished")
		}
		if b, err := ReadBest(folder, "p"); err == nil && b.Name != "p" {
			t.Errorf("%+v", b)
		}
	})
}
