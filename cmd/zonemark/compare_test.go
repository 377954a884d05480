package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/comparing"
	"zonemark/cmd/zonemark/internal/e2e"
)

// TestCompareStatus checks the exit statuses of comparisons, which scripts decide by.
func TestCompareStatus(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, nanoseconds ...string) string {
		path := filepath.Join(dir, name)
		text := "op,median_ns\n"
		for _, ns := range nanoseconds {
			text += "f," + ns + "\n"
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	base := write("base.csv", "100.1", "100.2", "100.0", "99.9", "100.1", "100.0")
	for _, c := range []struct {
		path string
		args []string
		want int
	}{
		{base, nil, cli.ExitOK},
		{write("slower.csv", "105.1", "105.2", "105.0", "104.9", "105.1", "105.0"), nil, comparing.ExitRegression},
		{write("faster.csv", "95.1", "95.2", "95.0", "94.9", "95.1", "95.0"), nil, cli.ExitOK},
		{write("noisy.csv", "90", "120", "110", "95", "140", "100"), nil, comparing.ExitUndecided},
		{filepath.Join(dir, "noisy.csv"), []string{"--undecided-ok"}, cli.ExitOK},
		{filepath.Join(dir, "missing.csv"), nil, cli.ExitError},
	} {
		cmd := e2e.Command(t, append([]string{"compare", base, c.path}, c.args...)...)
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != c.want {
			t.Errorf("%s: exit status %d, want %d\n%s", strings.Join(cmd.Args, " "), got, c.want, out)
		}
	}
}

// TestCompareMissing: a gate is not green on rows that were measured before and are gone or skipped now.
func TestCompareMissing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"both.csv":    "name,status,median_ns\nf,ok,1\ng,ok,1\n",
		"gone.csv":    "name,status,median_ns\nf,ok,1\n",
		"skipped.csv": "name,status,median_ns\nf,ok,1\ng,skipped,\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		words string
		want  int
	}{
		{"both.csv gone.csv --undecided-ok", comparing.ExitRegression},
		{"both.csv skipped.csv --undecided-ok", comparing.ExitRegression},
		{"both.csv skipped.csv --undecided-ok --missing-ok", cli.ExitOK},
		{"both.csv gone.csv --missing-ok", comparing.ExitUndecided},
		{"gone.csv both.csv --undecided-ok", cli.ExitOK},
		{"skipped.csv gone.csv --undecided-ok", cli.ExitOK},
	} {
		cmd := e2e.Command(t, append([]string{"compare"}, strings.Fields(c.words)...)...)
		cmd.Dir = dir
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != c.want {
			t.Errorf("%s: exit status %d, want %d\n%s", c.words, got, c.want, out)
		}
	}
}
