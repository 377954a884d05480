package costmodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// The head of a file of models.
const (
	fileFormat  = "zonemark cost models"
	fileVersion = 1
)

// mostModelBytes is the size up to which a file of models is read. A hybrid takes about 200 kB.
const mostModelBytes = 256 << 20

// modelFile is the JSON document that holds models. Its layout:
//
//	{"format": "zonemark cost models", "version": 1, "models": [MODEL, …]}
//
// where a MODEL is a Model with the keys of its fields: kind, model, weights [{term, parameter, cycles}], inputs
// [{term} or {column} or {column, text}], trees {base, trees: [{column, threshold, leaf}]}, ranges, rows, groups, and
// the errors in percent. The estimate for a configuration is
//
//	Σ cycles·term · exp(base + Σ leaf)
//
// where each tree gives one leaf: from node 0 a row goes from node i to 2i+2 if its input number column[i] is above
// threshold[i], and else to 2i+1; node i+len(column) is leaf i.
type modelFile struct {
	Format  string   `json:"format"`
	Version int      `json:"version"`
	Models  []*Model `json:"models"`
}

// WriteModels writes models as JSON, one line each, in the layout that ReadModels reads.
func WriteModels(w io.Writer, models []*Model) error {
	if _, err := fmt.Fprintf(w, "{\"format\": %q, \"version\": %d, \"models\": [",
		fileFormat, fileVersion); err != nil {
		return err
	}
	for i, m := range models {
		if err := m.check(); err != nil {
			return fmt.Errorf("model %d (%s): %w", i, m.Operation, err)
		}
		text, err := json.Marshal(m)
		if err != nil {
			return fmt.Errorf("model %d (%s): %w", i, m.Operation, err)
		}
		separator := "\n"
		if i > 0 {
			separator = ",\n"
		}
		if _, err := fmt.Fprintf(w, "%s%s", separator, text); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "\n]}\n")
	return err
}

// ReadModels reads a file of models. All of them can be used: terms, inputs and trees were checked. name is the file's
// name for messages.
func ReadModels(r io.Reader, name string) ([]*Model, error) {
	limited := &io.LimitedReader{R: r, N: mostModelBytes + 1}
	decoder := json.NewDecoder(limited)
	var f modelFile
	if err := decoder.Decode(&f); err != nil {
		if limited.N <= 0 {
			return nil, fmt.Errorf("%s: more than %d bytes", name, mostModelBytes)
		}
		return nil, fmt.Errorf("%s: byte %d: %w", name, decoder.InputOffset(), err)
	}
	if f.Format != fileFormat || f.Version != fileVersion {
		return nil, fmt.Errorf("%s: format %q, version %d: want %q, version %d",
			name, f.Format, f.Version, fileFormat, fileVersion)
	}
	if len(f.Models) == 0 {
		return nil, fmt.Errorf("%s: no models", name)
	}
	for i, m := range f.Models {
		if m == nil {
			return nil, fmt.Errorf("%s: model %d: %w", name, i, errors.New("null"))
		}
		if _, err := m.NewEstimator(); err != nil {
			return nil, fmt.Errorf("%s: model %d (%s): %w", name, i, m.Operation, err)
		}
	}
	return f.Models, nil
}

// ModelsBeside returns the path of the models that lie beside a parameter file: wormhole_b0_models.json beside
// wormhole_b0_params.yaml, models_v2.json beside params_v2.yaml.
func ModelsBeside(parameters string) string {
	name := strings.TrimSuffix(filepath.Base(parameters), filepath.Ext(parameters))
	at := strings.LastIndex(name, "params")
	if at < 0 {
		return filepath.Join(filepath.Dir(parameters), name+"_models.json")
	}
	return filepath.Join(filepath.Dir(parameters), name[:at]+"models"+name[at+len("params"):]+".json")
}
