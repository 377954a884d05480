package executors

import (
	"testing"

	"zonemark/invocations"
	"zonemark/invocations/remedy"
	"zonemark/invocations/wire"
)

// The remedies of an error are told in the words of the interface before a result is kept; without words, by
// themselves. A result that is no error has none.
func TestRemediesAreTold(t *testing.T) {
	words := func(r remedy.Remedy) string { return "--param " + r.Name }
	for _, c := range []struct {
		error string
		words Words
		want  string
	}{
		{"its value is not known", words, "its value is not known; --param n"},
		{"its value is not known", nil, "its value is not known; parameter n"},
		{"", words, ""},
	} {
		p := &puppet{play: func(m *wire.Execute) *invocations.Result {
			r := &invocations.Result{Status: invocations.Failed, Error: c.error,
				Remedies: []remedy.Remedy{{Kind: remedy.Parameter, Name: "n"}}}
			if c.error == "" {
				r.Status, r.Stop = invocations.OK, invocations.StopCheck
			}
			return r
		}}
		s := &Supervisor{Starter: p, Words: c.words}
		inv := invocations.Invocation{ID: "f", Measure: invocations.Measure{CheckOnly: true}}
		r, err := s.unchecked(t.Context(), &wire.Execute{Invocation: inv}, "")
		s.Close()
		if err != nil || r.Error != c.want {
			t.Errorf("%q became %q, error %v", c.want, r.Error, err)
		}
	}
}
