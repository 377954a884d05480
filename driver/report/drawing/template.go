package drawing

import (
	_ "embed"
	"fmt"
	"html/template"
)

//go:embed drawing.html.tmpl
var parts string

// Template parses a page that uses the templates "style", which is CSS for the head, and "drawing", which shows a
// Drawing.
func Template(name, page string) (*template.Template, error) {
	t, err := template.New(name).Parse(parts)
	if err == nil {
		t, err = t.Parse(page)
	}
	if err != nil {
		return nil, fmt.Errorf("template of the page: %w", err)
	}
	return t, nil
}
