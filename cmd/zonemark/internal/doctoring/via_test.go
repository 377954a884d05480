package doctoring

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver/doctor"
)

// What one host's doctor writes, another one's reads. Anything else is an error.
func TestParseFindings(t *testing.T) {
	var out bytes.Buffer
	v := visit{format: rowtext.NDJSON}
	v.Streams = cli.Streams{Out: &out}
	want := []doctor.Finding{
		{Subject: "load", Grade: doctor.Disturbs, Found: "1 of 2 CPUs: a\tb <é>", Evidence: "/proc/stat", Remedy: "stop it"},
		{Subject: "clock", Grade: doctor.Good, Found: "tsc"},
	}
	if err := v.showFindings(want); err != nil {
		t.Fatal(err)
	}
	found, err := parseFindings(out.Bytes())
	if err != nil || !slices.Equal(found, want) {
		t.Errorf("%+v, %v", found, err)
	}
	for text, want := range map[string]string{
		"":          "there are none",
		"Welcome!":  "invalid character",
		`{"kind":1`: "", `[]`: "cannot unmarshal",
		`{"kind":"trial"}`: `of the kind "trial"`,
		`{"kind":"finding","subject":"load","grade":"terrible"}`: `the grade "terrible"`,
	} {
		if _, err := parseFindings([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzFindings(f *testing.F) {
	f.Add([]byte(`{"kind":"finding","subject":"load","grade":"good","found":"x","evidence":"y"}` + "\n"))
	f.Add([]byte(`{"kind":"trial"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		found, err := parseFindings(text)
		if (err == nil) != (len(found) > 0) {
			t.Fatalf("%d findings, %v", len(found), err)
		}
		for _, one := range found {
			if one.Subject == "" || !slices.Contains(doctor.Grades(), one.Grade) {
				t.Errorf("%+v", one)
			}
		}
	})
}
