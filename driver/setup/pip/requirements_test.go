package pip

import (
	"strings"
	"testing"
)

func TestRequirementsRefused(t *testing.T) {
	sum := strings.Repeat("0123456789abcdef", 4)
	for text, want := range map[string]string{
		"":         "no package",
		"# a\n":    "no package",
		"a==1.0\n": "no hash",
		"a==1.0 \\\n    --hash=sha256:" + sum + " \\\n":  "line 2: the last package is cut",
		"a==1.0 \\\n    --hash=sha256:" + sum[1:] + "\n": "line 2: want --hash",
		"a==1.0 \\\n    --hash=md5:" + sum + "\n":        "line 2: want --hash",
		"a>=1.0 \\\n    --hash=sha256:" + sum + "\n":     "line 1: want NAME==VERSION",
		"a==1.0\nb==1.0 \\\n    --hash=sha256:" + sum + "\n": "line 2: the package before it " +
			"has no hash",
		"--index-url x\na==1.0 \\\n    --hash=sha256:" + sum + "\n":                 "line 1: want NAME==VERSION",
		"a==1.0 ; python_version < '3' \\\n--hash=sha256:" + sum + "\nb @ file:x\n": "line 3: want NAME==VERSION",
	} {
		if _, err := ParseRequirements(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func FuzzRequirements(f *testing.F) {
	f.Add("a==1.0 \\\n    --hash=sha256:" + strings.Repeat("ab", 32) + "\nb==2.0 \\\n    --hash=sha256:" + strings.Repeat("cd", 32) + "\n")
	f.Add("a==1.0 ; python_full_version < '3.11' \\\n    --hash=sha256:" + strings.Repeat("ab", 32) + "\n")
	f.Add("a==1 \\\n\\\n")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := ParseRequirements(text)
		if err != nil {
			return
		}
		for _, r := range all {
			again, err := ParseRequirements(r.Text)
			if err != nil || len(again) != 1 || again[0].Name != r.Name || len(again[0].Hashes) != len(r.Hashes) {
				t.Errorf("%q alone reads as %+v, error %v", r.Text, again, err)
			}
		}
	})
}
