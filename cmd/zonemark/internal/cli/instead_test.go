package cli

import (
	"errors"
	"os"
	"testing"

	"zonemark/invocations/remedy"
)

// A mistaken word is replaced wherever a name can stand, but not in names of files and not behind "--".
func TestInstead(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("dto", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	mistaken := remedy.Remedy{Kind: remedy.Instead, Name: "dto", Value: "dot$1"}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"k.c", "--function=dto,sum"}, "zonemark run k.c '--function=dot$1,sum'"},
		{[]string{"k.c", "--param", "dto=4"}, "zonemark run k.c --param 'dot$1=4'"},
		{[]string{"dto", "--function", "sum,dto"}, "zonemark run dto --function 'sum,dot$1'"},
		{[]string{"k.c", "--function", "int *dto(int dto)"}, "zonemark run k.c --function 'int *dot$1(int dto)'"},
		{[]string{"dto", "--name", "adto", "--", "--function=dto"}, ""},
	} {
		if got := Instead("run", c.args, mistaken); got != c.want {
			t.Errorf("%q: %s", c.args, got)
		}
	}
	if got := Instead("run", []string{"dto=1"}, remedy.Remedy{Kind: remedy.Instead, Name: "dto"}); got != "" {
		t.Errorf("nothing is near: %s", got)
	}
	err := remedy.New("no dto", mistaken)
	var post *Signpost
	if got := WithInstead(err, "run", []string{"x"}); got != err {
		t.Error(got)
	}
	if got := WithInstead(err, "hat", []string{"k.hat", "-f=dto"}); !errors.As(got, &post) ||
		post.Command != "zonemark hat k.hat '-f=dot$1'" {
		t.Error(got)
	}
}

// The name of another file is a free one.
func TestWithOther(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"o.ndjson", "o-2.ndjson"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ word, want string }{
		{"o.ndjson", "o-3.ndjson"}, {"-oo.ndjson", "-oo-3.ndjson"}, {"--output=o.ndjson", "--output=o-3.ndjson"},
		{"x/o.ndjson", ""},
	} {
		got := WithOther([]string{"k.c", c.word, "-q"}, "o.ndjson")
		if c.want == "" && got != nil || c.want != "" && (len(got) != 3 || got[1] != c.want || got[2] != "-q") {
			t.Errorf("%s: %q", c.word, got)
		}
	}
}
