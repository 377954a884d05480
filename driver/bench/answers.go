package bench

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// Catalog lists the models that can be exported.
type Catalog struct {
	Models   []Model   `json:"models"`
	Mistakes []Mistake `json:"mistakes"` // in the user's files; models of other files are listed nevertheless
}

// Names returns the names of the models.
func (c Catalog) Names() (names []string) {
	for _, m := range c.Models {
		names = append(names, m.Name)
	}
	return names
}

// Model is one model that can be exported.
type Model struct {
	Name          string   `json:"name"`
	Configs       []string `json:"configs"`
	DefaultConfig string   `json:"default_config"` // the only one; empty if one must be chosen
	Training      bool     `json:"training"`
	Generative    bool     `json:"generative"`
	Layers        bool     `json:"layers"` // accepts a number of layers
	Source        string   `json:"source"` // the file that defines it
	Line          int      `json:"line"`
	Doc           string   `json:"doc"` // the first line of its documentation
}

// Mistake is the reason why a file of models cannot be read.
type Mistake struct {
	File  string `json:"file"`
	Line  int    `json:"line"`
	Error string `json:"error"`
}

// answer holds the fields of all answers of the exporter.
type answer struct {
	Version  int    `json:"version"`
	Error    string `json:"error"` // a failure; File, Line and Kind belong to it
	File     string `json:"file"`
	Line     int    `json:"line"`
	Kind     string `json:"kind"`
	Manifest string `json:"manifest"` // path of the manifest of an export
	Catalog
}

// parseAnswer parses the exporter's standard output. A failure that the exporter reports is an *Error.
func parseAnswer(data []byte) (answer, error) {
	var a answer
	if err := json.Unmarshal(data, &a); err != nil {
		return answer{}, fmt.Errorf("the exporter's answer is no JSON object (%w): %q", err, excerpt(data))
	}
	if a.Version != 1 {
		return answer{}, fmt.Errorf("the exporter's answer is of version %d, and this zonemark reads version 1",
			a.Version)
	}
	if a.Error != "" || a.Kind != "" {
		return answer{}, &Error{File: a.File, Line: max(0, a.Line),
			Text: cmp.Or(a.Error, "the exporter gives no reason")}
	}
	return a, nil
}

// excerpt returns the beginning of a text, for an error.
func excerpt(data []byte) string {
	const maxBytes = 200
	if len(data) > maxBytes {
		data = data[:maxBytes]
	}
	return strings.ToValidUTF8(string(data), "?")
}
