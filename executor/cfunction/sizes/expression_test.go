package sizes

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
)

// product is (n+1)*m*4.
func product() []Expression {
	return []Expression{Join('+', Name("n"), Number(1)), Name("m"), Number(4)}
}

func TestProduct(t *testing.T) {
	same := func(name string) string { return name }
	for _, c := range []struct {
		list []Expression
		want string
	}{
		{nil, "1"},
		{product(), "(n+1)*m*4"},
		{[]Expression{Name("n"), Join('/', Name("m"), Number(2))}, "n*(m/2)"},
	} {
		if got := Product(c.list, same); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	renamed := Product(product(), strings.ToUpper)
	if renamed != "(N+1)*M*4" {
		t.Error(renamed)
	}
}

func TestWith(t *testing.T) {
	e := Join('*', Name("n"), Join('-', Name("WIDTH"), Number(1)))
	got := e.With(func(name string) (int64, bool) { return 5, name == "WIDTH" })
	if got.String() != "n*4" {
		t.Errorf("%s, want n*4", got)
	}
	if names := strings.Join(e.Names(), " "); names != "n WIDTH" {
		t.Errorf("names %s", names)
	}
}

func TestJoinKeepsWhatDoesNotFit(t *testing.T) {
	e := Join('*', Number(math.MaxInt64), Number(2))
	if _, constant := e.Constant(); constant {
		t.Errorf("%s is constant", e)
	}
	_, err := e.Evaluate(func(string) (int64, error) { return 0, errors.New("no names") })
	if err == nil || !strings.Contains(err.Error(), "64 bits") {
		t.Errorf("error %v", err)
	}
}

// Expressions are written as they are, and are the same when they are read.
func TestJSON(t *testing.T) {
	const want = `[["+","n",1],"m",4]`
	text, err := json.Marshal(product())
	if err != nil || string(text) != want {
		t.Errorf("%s, %v; want %s", text, err, want)
	}
	var read []Expression
	if err := json.Unmarshal(text, &read); err != nil || Product(read, strings.ToUpper) != "(N+1)*M*4" {
		t.Errorf("read as %v, %v", read, err)
	}
	for _, text := range []string{`""`, `{}`, `["+","n"]`, `["^","n",1]`, `["+-","n",1]`, `[1,"n",1]`, `1.5`, `["*",[],1]`,
		`true`} {
		var e Expression
		if err := json.Unmarshal([]byte(text), &e); err == nil {
			t.Errorf("%s is read as %s", text, e)
		}
	}
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(`["*",["+","n",1],4]`))
	f.Add([]byte(`9223372036854775807`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var e, again Expression
		if json.Unmarshal(data, &e) != nil {
			return
		}
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &again); err != nil || again.String() != e.String() {
			t.Errorf("%s became %s, %v", e, again, err)
		}
	})
}
