package cli

import (
	"errors"
	"fmt"
	"testing"

	"github.com/spf13/pflag"
)

// A flag value accepts what its help says and shows it in the same form. It keeps its old value if it refuses a new
// one.
func TestValues(t *testing.T) {
	t.Parallel()
	var ns, n, bytes int64
	var share float64
	var cpu int
	word := "a"
	refuse := func(string) error { return errors.New("no") }
	for _, c := range []struct {
		value      pflag.Value
		text, want string // shown; empty: refused
	}{
		{Duration(&ns), "1500ms", "1.5s"},
		{Duration(&ns), "-1s", ""},
		{Duration(&ns), "3", ""},
		{Duration(&ns), "1000h", ""},
		{Seconds(&ns), "0.25", "0.25"},
		{Seconds(&ns), "NaN", ""},
		{Fraction(&share), "1%", "1%"},
		{Fraction(&share), "0.05", "5%"},
		{Fraction(&share), "1", ""},
		{Count(&n), "12", "12"},
		{Count(&n), "-1", ""},
		{Count(&n), "1000000000001", ""},
		{Bytes(&bytes), "2GiB", "2048MiB"},
		{Bytes(&bytes), "64G", "65536MiB"},
		{Bytes(&bytes), "1.5g", "1536MiB"},
		{Bytes(&bytes), "512mib", "512MiB"},
		{Bytes(&bytes), "1048576 B", "1MiB"},
		{Bytes(&bytes), "2097152kB", "2000MiB"},
		{Bytes(&bytes), "G", ""},
		{Bytes(&bytes), "64X", ""},
		{Bytes(&bytes), "5", ""},
		{Mebibytes(&bytes), "5", "5"},
		{Mebibytes(&bytes), "2GiB", "2048"},
		{Mebibytes(&bytes), "-5", ""},
		{Mebibytes(&bytes), "", ""},
		{Mebibytes(&bytes), "9999999TiB", ""},
		{Choice(&word, []string{"a", "b"}), "b", "b"},
		{Choice(&word, []string{"a", "b"}), "c", ""},
		{Choice(&word, []string{"a", "b"}, "old"), "old", "old"},
		{Choice(&word, []string{"a", "b"}).Checked(refuse), "b", ""},
		{CPU(&cpu), "3", "3"},
		{CPU(&cpu), "any", "any"},
		{CPU(&cpu), "-2", ""},
	} {
		name := fmt.Sprintf("%s %s", c.value.Type(), c.text)
		before := c.value.String()
		err := c.value.Set(c.text)
		if c.want == "" && (err == nil || c.value.String() != before) {
			t.Errorf("%s was taken, error %v, and shows %q", name, err, c.value.String())
		}
		if c.want != "" && (err != nil || c.value.String() != c.want) {
			t.Errorf("%s shows %q, error %v, want %q", name, c.value.String(), err, c.want)
		}
	}
}

// A time with its unit in words, or without one, is told as flags take it.
func TestTimeMeant(t *testing.T) {
	for text, want := range map[string]string{
		"1": "1s", "0.5": "0.5s", "20msec": "20ms", "20 ms": "20ms", "20 milliseconds": "20ms", "3sec": "3s", "3 seconds": "3s",
		"2min": "2m", "2 minutes": "2m", "5 microseconds": "5us", "7 nanosec": "7ns", "soon": "", "": "", "1 parsec": "",
	} {
		if got := timeMeant(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
