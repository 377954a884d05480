package drawing

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
)

//go:embed drawing.html.tmpl
var parts string

// Script is what the scripts of pages begin with: it declares the object "drawing" with the functions that page.js
// returns.
//
//go:embed page.js
var Script string

// Policy returns a policy (Content-Security-Policy) that lets a page load nothing and run only this script.
func Policy(script string) string {
	hash := sha256.Sum256([]byte(script))
	return "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(hash[:]) + "'"
}

// Template parses a page that uses the templates "style", which is CSS for the head, "card", which shows a Card,
// "narrow", which is CSS for a Table, and "drawing", which shows a Drawing. Its function "breakable" shows a name that
// may be broken behind its separators, and "joined" a text whose figures stay with their units.
func Template(name, page string) (*template.Template, error) {
	t, err := template.New(name).Funcs(template.FuncMap{"breakable": breakable, "joined": joined}).Parse(parts)
	if err == nil {
		t, err = t.Parse(page)
	}
	if err != nil {
		return nil, fmt.Errorf("template of the page: %w", err)
	}
	return t, nil
}
