package bench

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// Catalog is what models there are.
type Catalog struct {
	Models   []Model   `json:"models"`
	Mistakes []Mistake `json:"mistakes"` // in files of the user's; the models of other files are there all the same
}

// Model is one model that can be exported.
type Model struct {
	Name          string   `json:"name"`
	Configs       []string `json:"configs"`
	DefaultConfig string   `json:"default_config"` // the only one; empty when one must be chosen
	Training      bool     `json:"training"`
	Generative    bool     `json:"generative"`
	Layers        bool     `json:"layers"` // takes a number of layers
	Source        string   `json:"source"` // the file that defines it
	Line          int      `json:"line"`
	Doc           string   `json:"doc"` // its first line
}

// Mistake is what keeps a file from being read as models.
type Mistake struct {
	File  string `json:"file"`
	Line  int    `json:"line"`
	Error string `json:"error"`
}

// answer is every answer of the exporter in one.
type answer struct {
	Version  int    `json:"version"`
	Error    string `json:"error"` // the rest of a failure: File, Line, Kind
	File     string `json:"file"`
	Line     int    `json:"line"`
	Kind     string `json:"kind"`
	Manifest string `json:"manifest"` // of an export
	Catalog
}

// parseAnswer reads what the exporter printed. A failure that it reports is an *Error.
func parseAnswer(data []byte) (answer, error) {
	var a answer
	if err := json.Unmarshal(data, &a); err != nil {
		return answer{}, fmt.Errorf("the exporter's answer is no JSON object (%w): %q", err, excerpt(data))
	}
	if a.Version != 1 {
		return answer{}, fmt.Errorf("the exporter's answer is of version %d, and this zonemark reads version 1", a.Version)
	}
	if a.Error != "" || a.Kind != "" {
		return answer{}, &Error{Kind: a.Kind, File: a.File, Line: max(0, a.Line), Text: cmp.Or(a.Error, "the exporter gives no reason")}
	}
	return a, nil
}

// excerpt is the beginning of a text for an error.
func excerpt(data []byte) string {
	const most = 200
	if len(data) > most {
		data = data[:most]
	}
	return strings.ToValidUTF8(string(data), "?")
}
