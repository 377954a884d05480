package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/cmd/zonemark/internal/program"
)

// TestSignposts: a command line that tells what its user wants is answered with the command for it.
func TestSignposts(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	for _, name := range []string{"k.c", "new.c", "suite.toml", "old.ndjson", "results", "run.tracy", "run.tracy.gz",
		"a.rs", "a.pt", "page.html"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	journal := `{"kind":"header","version":1,"command":["zonemark","run","k.c","--param","n=4","--html","o.html","-o","run.ndjson"]}` + "\n"
	if err := os.WriteFile(filepath.Join(folder, "run.ndjson"), []byte(journal), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "p"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"k.c"}, "no subcommand \"k.c\"; it is a file:\n  zonemark run k.c\n"},
		{[]string{"suite.toml", "-q"}, "it is a file:\n  zonemark run suite.toml -q\n"},
		{[]string{"old.ndjson"}, "it is a file:\n  zonemark report old.ndjson --html old.html\n"},
		{[]string{"report", "old.ndjson"}, "report needs the name of the page\n  zonemark report old.ndjson --html old.html\n"},
		{[]string{"run.tracy"}, "it is a file:\n  zonemark trace info run.tracy\n"},
		{[]string{"sh -c true"}, "to measure this command:\n  zonemark run -- sh -c true\n"},
		{[]string{"sh", "-c", "a b"}, "to measure this command:\n  zonemark run -- sh -c 'a b'\n"},
		{[]string{"sort x | uniq"}, "to measure this line of a shell:\n  zonemark run --shell -- 'sort x | uniq'\n"},
		{[]string{"--function", "f", "k.c"}, "stands before a subcommand; to measure:\n  zonemark run --function f k.c\n"},
		{[]string{"rnu", "k.c"}, "no subcommand \"rnu\"; did you mean \"run\"?\n  zonemark run k.c\n"},
		{[]string{"mesure", "k.c"}, "did you mean \"run\"?\n  zonemark run k.c\n"},
		{[]string{"hist", "."}, "did you mean \"history\"?\n  zonemark history .\n"},
		{[]string{"time", "sh", "-c", "true"}, "to measure this command:\n  zonemark run -- sh -c true\n"},
		{[]string{"run", "k.d"}, "did you mean k.c?\n  zonemark run k.c\n"},
		{[]string{"compare", "old.ndjson", "odl.ndjson"}, "  zonemark compare old.ndjson old.ndjson\n"},
		{[]string{"run", "a.rs", "-q"}, "rustc -O --crate-type cdylib -o liba.so a.rs && zonemark run liba.so -q\n"},
		{[]string{"run", "a.pt"}, "\"a.onnx\")\n  zonemark run a.onnx\n"},
		{[]string{"run", "k.c", "f", "4096", "1.5"}, "  zonemark run k.c --function f\n"},
		{[]string{"run", "k.c", "--a", "1", "-b", "2.5"}, "  zonemark run k.c --param a=1 --param b=2.5\n"},
		{[]string{"run", "k.c", "--max-time", "1"}, "--max-time 1: want a time with its unit, such as 250ms or 2s:\n" +
			"  zonemark run k.c --max-time 1s\n"},
		{[]string{"run", "k.c", "--cpu", "0,1"}, "want a CPU number, or any; this machine has "},
		{[]string{"run", "k.c", "--cpu=all"}, "  zonemark run k.c --cpu 0\n"},
		{[]string{"run", "k.c", "--dispatches", "--launches", "3"}, "  zonemark run k.c --dispatches auto --launches 3\n"},
		{[]string{"run", "--group", "sh -c true", "sh -c false", "-q"}, "  zonemark run --group -q -- sh -c true ::: sh -c false\n"},
		{[]string{"compare", "old.ndjson", "old.ndjson", "--format", "md"}, "  zonemark compare old.ndjson old.ndjson --format markdown\n"},
		{[]string{"report", "old.ndjson", "page.html"}, "  zonemark report old.ndjson --html page.html\n"},
		{[]string{"trace", "to-csv", "run.tracy"}, "it is csv here:\n  zonemark trace csv run.tracy\n"},
		{[]string{"run", "k.c", "--plot", "p.png"}, "p.png is no file; a page with drawings has a flag:\n  zonemark run k.c --html p.html\n"},
		{[]string{"run", "k.c", "--filter", "f*("}, "  zonemark run k.c --filter 'f.*\\('\n"},
		{[]string{"run", "k.c", "--output-file", "o"}, "  zonemark run k.c --output o\n"},
		{[]string{"halide", "rnu", "x"}, "did you mean \"run\"?\n  zonemark halide run x\n"},
		{[]string{"setup", "irree"}, "did you mean \"iree\"?\n  zonemark setup iree\n"},
		{[]string{"bench", "bert"}, "-m names the model:\n  zonemark bench -m bert\n"},
		{[]string{"merge", "results"}, "merge needs the name of the journal to write:\n  zonemark merge results -o merged.ndjson\n"},
		{[]string{"tune", "k.c", "new.c"}, "to rank what several have:\n  zonemark run --group k.c new.c\n"},
		{[]string{"--verison"}, "did you mean \"--version\"?\n  zonemark --version\n"},
		{[]string{"run", "k.c", "--memory", "2"}, "  zonemark run k.c --memory 2GiB\n"},
		{[]string{"run", "k.c", "--sandbox", "no"}, "  zonemark run k.c --sandbox off\n"},
		{[]string{"run", "k.c", "--resume"}, "need the journal:\n  zonemark run -o results.ndjson k.c --resume\n"},
		{[]string{"run", "k.c", "-o", "o", "--resume", "--overwrite"}, "give one of them:\n  zonemark run k.c -o o --resume\n"},
		{[]string{"completion", "bsh"}, "did you mean \"bash\"?\n  zonemark completion bash\n"},
		{[]string{"report", "old.ndjson", "results", "--format", "csv"}, "  zonemark compare old.ndjson results\n"},
		{[]string{"run", "--", "shh", "-c", "true"}, "  zonemark run -- sh -c true\n"},
		{[]string{"qqqqqq"}, "no subcommand \"qqqqqq\"; \"zonemark help\" shows what there is\n"},
		{[]string{"compare", "k.c", "new.c"}, "to measure both sides and compare them:\n  zonemark compare --measure k.c new.c\n"},
		{[]string{"run", "--fnction", "a b", "k.c"}, "unknown flag: --fnction; did you mean --function?\n" +
			"  zonemark run --function 'a b' k.c\n"},
		{[]string{"run", "--qqqqqqqq", "k.c"}, "unknown flag: --qqqqqqqq; \"zonemark run --help\" shows what there is\n"},
		{[]string{"run", "--help", "tming"}, "--help has no topic \"tming\"; did you mean \"timing\"?\n  zonemark run --help timing\n"},
		{[]string{"run", "--help", "saxpy"}, "--help has no topic \"saxpy\"; there are all, timing, outputs, iree, tt, ttsim, halide, c, …\n" +
			"  zonemark run --help all\n"},
		{[]string{"html", "k.c"}, "no subcommand \"html\"; \"zonemark help\""},
		{[]string{"plot", "results"}, "it is report here:\n  zonemark report results --html results.html\n"},
		{[]string{"dispatches", "run.tracy"}, "it is a verb of trace:\n  zonemark trace dispatches run.tracy\n"},
		{[]string{"diff", "run.tracy", "run.tracy"}, "it is trace here:\n  zonemark trace diff run.tracy run.tracy\n"},
		{[]string{"pretrain", "x"}, "it is a verb of halide:\n  zonemark halide pretrain x\n"},
		{[]string{"trace", "dispatch", "run.tracy"}, "did you mean \"dispatches\"?\n  zonemark trace dispatches run.tracy\n"},
		{[]string{"trace", "perfetto", "run.tracy"}, "it is chrome here:\n  zonemark trace chrome run.tracy\n"},
		{[]string{"trace", "stats", "run.tracy", "--name", "f"}, "  zonemark trace stats run.tracy --filter f\n"},
		{[]string{"trace", "stats", "run.tracy", "-o", "s.csv"}, "  zonemark trace stats run.tracy --format=csv >s.csv\n"},
		{[]string{"compare", "run.tracy", "run.tracy"}, "  zonemark trace diff run.tracy run.tracy\n"},
		{[]string{"trace", "stats", "run.tracy", "--top", "5"}, "--top is --limit here\n  zonemark trace stats run.tracy --limit 5\n"},
		{[]string{"compare", "old", "old.ndjson"}, "old: there is no such file or folder; did you mean old.ndjson?"},
		{[]string{"compare", "sh -c true", "sh -c false"}, "  zonemark compare --measure -- sh -c true ::: sh -c false\n"},
		{[]string{"compare", "--measure", "sh -c true", "sh -c false", "--margin", "1%"}, "sh -c true is no file with results; to measure these commands and compare them:\n" +
			"  zonemark compare --measure --margin 1% -- sh -c true ::: sh -c false\n"},
		{[]string{"compare", "old.ndjson", "old.ndjson", "--threshold", "5%"}, "  zonemark compare old.ndjson old.ndjson --margin 5%\n"},
		{[]string{"compare", "--old", "old.ndjson", "--new=old.ndjson"}, "--old is not needed: what it names stands alone\n" +
			"  zonemark compare old.ndjson old.ndjson\n"},
		{[]string{"compare", "old.ndjson", "old.ndjson", "--markdown"}, "  zonemark compare old.ndjson old.ndjson --format=markdown\n"},
		{[]string{"run", "-w", "3", "-p", "sh -c :", "sh -c true"}, "--prepare 'sh -c :' -- sh -c true\n"},
		{[]string{"run", "k.c", "--param", "n=4", "m=8"}, "m=8 is no file; each parameter has a flag:\n" +
			"  zonemark run k.c --param n=4 --param m=8\n"},
		{[]string{"run", "k.c", "f", "-q"}, "f is no file; each function has a flag:\n  zonemark run k.c --function f -q\n"},
		{[]string{"run", "k.c:f", "k.c:g"}, "  zonemark run k.c --function f --function g\n"},
		{[]string{"run", "run.tracy"}, "run.tracy is not for run; this shows it:\n  zonemark trace info run.tracy\n"},
		{[]string{"run", "old.ndjson"}, "  zonemark report old.ndjson --html old.html\n"},
		{[]string{"list", "old.ndjson"}, "old.ndjson is not for list; this shows it:\n  zonemark report old.ndjson"},
		{[]string{"report", "run.tracy"}, "  zonemark trace info run.tracy\n"},
		{[]string{"report", "k.c"}, "k.c is not for report; this shows it:\n  zonemark run k.c --html k.html\n"},
		{[]string{"run", "-w", "3", "sh -c true", "sh -c false"}, "  zonemark run --warmup 3 --group -- sh -c true ::: sh -c false\n"},
		{[]string{"run", "k.c", "--csv", "o.csv"}, "  zonemark run k.c --format=csv >o.csv\n"},
		{[]string{"run", "k.c", "--trace", "o"}, "did you mean --trace-file?\n  zonemark run k.c --trace-file o\n"},
		{[]string{"run", "k.c", "--trace"}, "unknown flag: --trace; did you mean --trace-file? \"zonemark run --help\""},
		{[]string{"run", "k.c", "--dispatches"}, "--dispatches needs a value: auto, profile, tracy, off\n  zonemark run k.c --dispatches=auto\n"},
		{[]string{"run", "k.c", "-t"}, "--trace-file needs a value: keep the Tracy capture"},
		{[]string{"run", "k.c", "--html", "--function", "f"}, "--html needs a value, and --function is a flag\n" +
			"  zonemark run k.c --html page.html --function f\n"},
		{[]string{"run", "-lqqqq"}, "-l is for compilers: measure a library by its path"},
		{[]string{"run", "k.c", "-lm", "-q"}, "-lm is for the linker; --cflags takes its flags:\n" +
			"  zonemark run k.c -q --cflags=-lm\n"},
		{[]string{"run", "k.c", "-o", "old.ndjson", "-q"}, "journal old.ndjson: exists and is not empty: " +
			"continue it with --resume, replace it with --overwrite, or keep both:\n  zonemark run k.c -o old-2.ndjson -q\n"},
		{[]string{"compare", "old.ndjson", "old.ndjson", "--margin", "5"}, "--margin 5: want a fraction below 1, " +
			"or percent:\n  zonemark compare old.ndjson old.ndjson --margin 5%\n"},
		{[]string{"trace", "dispatches", "run.tracy", "--top", "2"}, "zonemark trace stats --limit N shows the zones " +
			"that took longest\n  zonemark trace dispatches run.tracy\n"},
		{[]string{"trace", "stats", "run.tracy.gz", "-q"}, "  gunzip -k run.tracy.gz && zonemark trace stats run.tracy -q\n"},
		{[]string{"run", "--module=k.c", "-q"}, "the one to measure stands alone:\n  zonemark run k.c -q\n"},
		{[]string{"run", "--module", "k.c"}, "  zonemark run k.c\n"},
		{[]string{"run", "k.c", "--size", "640x480"}, "  zonemark run k.c --param size=640x480\n"},
		{[]string{"halide", "run", "gausian3x3", "-q"}, "did you mean \"gaussian3x3\"?\n" +
			"  zonemark halide run gaussian3x3 -q\n"},
		{[]string{"run", "k.c", "--seed", "abc"}, "--seed abc: want a whole number; the default is:\n  zonemark run k.c --seed 0\n"},
		{[]string{"run", "k.c", "--launches=few"}, "  zonemark run k.c --launches 0\n"},
		{[]string{"run", "k.c", "--quiet=maybe"}, "--quiet maybe: want true or false; without it:\n  zonemark run k.c\n"},
		{[]string{"run", "k.c", "--param", "n=4", "8", "16", "-q"}, "  zonemark run k.c --param n=4,8,16 -q\n"},
		{[]string{"run", "k.c::f"}, "  zonemark run k.c --function f\n"},
		{[]string{"run", "k.c", "vs", "new.c", "-q"}, "vs is no file; to compare what several have:\n  zonemark run --group k.c new.c -q\n"},
		{[]string{"run", "k.c", "--function", "f(x, 64)"}, "  zonemark run k.c --function f\n"},
		{[]string{"run", "k.c", "--input", "x=ones"}, "  zonemark run k.c --input x=1\n"},
		{[]string{"run", "k.c", "-t", "o", "--dispatches", "off"}, "leave out --dispatches off:\n  zonemark run k.c -t o\n"},
		{[]string{"run", "k.c", "--min-time", "2s", "--max-time=1s"}, "leave one of them out:\n  zonemark run k.c --min-time 2s\n"},
		{[]string{"run", "k.c", "--histogram", "--format", "csv"}, "  zonemark run k.c --histogram\n"},
		{[]string{"run", "k.c", "-o"}, "--output needs a value: write the journal to this file, result by result\n" +
			"  zonemark run k.c -o results.ndjson\n"},
		{[]string{"run", "k.c", "--html", "none/p.html"}, "there is no folder none; make it, or name another file\n" +
			"  mkdir -p none && zonemark run k.c --html none/p.html\n"},
		{[]string{"run", "k.c", "--slowest"}, "  zonemark run k.c --dispatch-order=time\n"},
		{[]string{"run", "k.c", "--autoschedule"}, "  zonemark run k.c --scheduler=adams2019\n"},
		{[]string{"list", "k.c", "--function", "f"}, "all functions are listed, with their parameters\n  zonemark list k.c\n"},
		{[]string{"report", "old.ndjson", "-o", "t.xlsx"}, "  zonemark report old.ndjson --format csv >t.csv\n"},
		{[]string{"report", "old.ndjson", "--png", "t.png"}, "--png is --html here\n  zonemark report old.ndjson --html t.html\n"},
		{[]string{"report", "."}, ". is a folder; the results in it over time:\n  zonemark history . --html history.html\n"},
		{[]string{"report", "old.ndjson", "-o"}, "  zonemark report old.ndjson -o page.html\n"},
		{[]string{"history", ".", "--svg=h.svg"}, "  zonemark history . --html h.html\n"},
		{[]string{"to-csv", "old.ndjson"}, "  zonemark report --format csv old.ndjson\n"},
		{[]string{"compare", "k.c:f", "new.c:f", "-q"}, "the function has a flag:\n  zonemark compare --measure k.c new.c --function f -q\n"},
		{[]string{"compare", "k.c:f", "new.c:g"}, "  zonemark run --group k.c new.c --function f --function g\n"},
		{[]string{"compare", "./p", "sh -c true"}, "  zonemark compare --measure -- ./p ::: sh -c true\n"},
		{[]string{"compare", "old.ndjson", "old.ndjson", "old.ndjson"}, "  zonemark history old.ndjson old.ndjson old.ndjson\n"},
		{[]string{"compare", "old.ndjson", "old.ndjson", "--filter", "f"}, "add --measure, or leave it out:\n  zonemark compare old.ndjson old.ndjson\n"},
		{[]string{"compare", "old.ndjson", "old.ndjson", "--fail-on-regression"}, "the exit status is 3 if something is slower, " +
			"and 4 if it is not decided\n  zonemark compare old.ndjson old.ndjson\n"},
		{[]string{"compare", "run.ndjson"}, "  zonemark run k.c --param n=4 -o new.ndjson && zonemark compare run.ndjson new.ndjson\n"},
		{[]string{"compare", "run.ndjson", "new.c"}, "  zonemark run new.c --param n=4 -o new.ndjson && zonemark compare run.ndjson new.ndjson\n"},
		{[]string{"trace", "info", "run.tracy", "--html"}, "writes a timeline for Perfetto\n  zonemark trace info run.tracy\n"},
		{[]string{"trace", "csv", "run.tracy", "x.csv"}, "x.csv is no file; what is written has a flag:\n" +
			"  zonemark trace csv run.tracy -o x.csv\n"},
		{[]string{"trace", "stats"}, "needs the path of a capture, not 0 paths:\n  zonemark trace stats run.tracy\n"},
		{[]string{"run", "./p", "--launches", "3"}, "./p is a program; to measure this command:\n  zonemark run --launches 3 -- ./p\n" +
			"or, if --launches is for the program:\n  zonemark run -- ./p --launches 3\n"},
		{[]string{"run", "sh", "-q", "x"}, "  zonemark run -- sh -q x\nor, if -q is for zonemark:\n  zonemark run -q -- sh x\n"},
		{[]string{"run", "--warmup", "2", "./p", "sh -c true"}, "  zonemark run --warmup 2 --group -- ./p ::: sh -c true\n"},
		// hyperfine
		{[]string{"run", "-w", "3", "--", "ls"}, "-w is --warmup here\n  zonemark run --warmup 3 -- ls\n"},
		{[]string{"run", "-w3", "--", "ls"}, "  zonemark run --warmup=3 -- ls\n"},
		{[]string{"run", "-r", "5", "--", "ls", "-r"}, "-r is --launches here\n  zonemark run --launches 5 -- ls -r\n"},
		{[]string{"run", "-m", "5", "--", "ls"}, "  zonemark run --min-iterations 5 -- ls\n"},
		{[]string{"run", "--runs=5", "--", "ls"}, "  zonemark run --launches=5 -- ls\n"},
		{[]string{"run", "--export-json", "o", "--", "ls"}, "  zonemark run --output o -- ls\n"},
		{[]string{"run", "--export-csv", "o", "--", "ls"}, "--export-csv is --format=csv here\n  zonemark run --format=csv -- ls >o\n"},
		{[]string{"run", "-N", "--", "ls"}, "-N is not needed: commands run without a shell unless --shell is given"},
		{[]string{"run", "-w", "3", "-r9", "--", "ls"}, "-w is --warmup here\n  zonemark run --warmup 3 --launches=9 -- ls\n"},
		{[]string{"run", "-L", "n", "1,2", "--", "ls", "{n}"}, "  zonemark run --param n=1,2 -- ls '{n}'\n"},
		{[]string{"run", "--parameter-scan", "n", "1", "3", "--", "ls", "{n}"}, "  zonemark run --param n=1,2,3 -- ls '{n}'\n"},
		{[]string{"run", "-P", "n", "x", "3", "--", "ls"}, "-P is --param here; \"zonemark run --help\""},
		{[]string{"run", "--show-output", "--", "ls"}, "--show-output has no counterpart: what commands print is not shown"},
		{[]string{"run", "--export-markdown", "o", "--", "ls"}, "--export-markdown is --format markdown of zonemark compare"},
		{[]string{"run", "--json", "k.c"}, "--json is --format=ndjson here\n  zonemark run --format=ndjson k.c\n"},
		{[]string{"run", "sh", "-c", "true"}, "to measure this command:\n  zonemark run -- sh -c true\n"},
		{[]string{"run", "sh -c true"}, "to measure this command:\n  zonemark run -- sh -c true\n"},
		{[]string{"run", "sh -c true", "sh -c false"}, "  zonemark run --group -- sh -c true ::: sh -c false\n"},
		{[]string{"run", "-q", "sh", "x"}, "to measure this command:\n  zonemark run -q -- sh x\n"},
		{[]string{"measure", "k.c"}, "no subcommand \"measure\"; it is run here:\n  zonemark run k.c\n"},
		{[]string{"diff", "old.ndjson", "old.ndjson"}, "it is compare here:\n  zonemark compare old.ndjson old.ndjson\n"},
		{[]string{"plot", "old.ndjson"}, "it is report here:\n  zonemark report old.ndjson --html old.html\n"},
		{[]string{"diff", "k.c", "new.c"}, "it is compare here:\n  zonemark compare --measure k.c new.c\n"},
		{[]string{"vs", "old.ndjson", "old.ndjson"}, "  zonemark compare old.ndjson old.ndjson\n"},
		{[]string{"cmp", "run.tracy", "run.tracy"}, "it is trace here:\n  zonemark trace diff run.tracy run.tracy\n"},
		{[]string{"rank", "k.c"}, "it is run here:\n  zonemark run --group k.c\n"},
		{[]string{"open", "run.tracy"}, "it is trace here:\n  zonemark trace info run.tracy\n"},
		{[]string{"ls", "k.c"}, "it is list here:\n  zonemark list k.c\n"},
		{[]string{"csv", "old.ndjson"}, "it is report here:\n  zonemark report --format csv old.ndjson\n"},
		{[]string{"convert", "old.ndjson", "o.csv"}, "  zonemark report old.ndjson --format csv >o.csv\n"},
		{[]string{"export", "old.ndjson", "--format=csv"}, "  zonemark report old.ndjson --format=csv\n"},
		{[]string{"plot", "old.ndjson", "--html", "p.html"}, "  zonemark report old.ndjson --html p.html\n"},
		{[]string{"trace", "run.tracy"}, "trace needs a verb before the capture\n  zonemark trace info run.tracy\n"},
		{[]string{"run", "--show", "k.c"}, "unknown flag: --show; \"zonemark run --help\" shows"},
		{[]string{"run", "-M", "5", "--", "ls"}, "-M is --launches here\n  zonemark run --launches 5 -- ls\n"},
		{[]string{"run", "-P", "n", "1", "9", "-D", "4", "--", "ls"}, "-P is --param here\n  zonemark run --param n=1,5,9 -- ls\n"},
		{[]string{"run", "--cleanup", "rm x", "--", "ls"}, "--cleanup has no counterpart: what --prepare runs"},
		{[]string{"run", "-n", "fast", "--", "ls"}, "-n has no counterpart on a command line: a row is named by"},
		{[]string{"run", "-u", "second", "--", "ls"}, "-u is not needed: each row has its unit"},
		{[]string{"run", "--reference", "a b", "--", "ls"}, "--reference is a comparison here:\n" +
			"  zonemark compare --measure -- a b ::: ls\n"},
		{[]string{"run", "--reference=a b", "-q", "sh -c true", "sh -c :"},
			"  zonemark run --group -q -- a b ::: sh -c true ::: sh -c :\n"},
		{[]string{"run", "--reference", "a | b", "--", "ls"}, "--reference is a comparison here: zonemark compare --measure"},
		{[]string{"run", "--shell", "none", "sh -c true"}, "--shell none is not needed: commands run without a shell " +
			"unless --shell is given\n  zonemark run -- sh -c true\n"},
		{[]string{"run", "--shell=none", "--", "ls"}, "  zonemark run -- ls\n"},
		{[]string{"run", "-S", "none", "--", "ls", "-S"}, "  zonemark run -- ls -S\n"},
		{[]string{"run", "--output", "inherit", "--", "ls"}, "--output inherit has no counterpart: what commands print is " +
			"not shown, and --output names the journal\n  zonemark run -- ls\n"},
		{[]string{"run", "--export-orgmode", "o", "--", "ls"}, "a run has --format csv; zonemark compare has --format markdown"},
		{[]string{"sh -c true", "sh -c false"}, "to measure these commands:\n  zonemark run --group -- sh -c true ::: sh -c false\n"},
		{[]string{"run", "sh", "-k", "x"}, "sh is a program; to measure this command:\n  zonemark run -- sh -k x\n"},
		{[]string{"run", "sh -c true | sh"}, "to measure this line of a shell:\n  zonemark run --shell -- 'sh -c true | sh'\n"},
		{[]string{"run", "--", "sh -c true"}, "there is no program \"sh -c true\"; to measure the command:\n  zonemark run -- sh -c true\n"},
		{[]string{"run", "-q", "./p", "x"}, "./p is a program; to measure this command:\n  zonemark run -q -- ./p x\n"},
		{[]string{"./p", "sh -c true"}, "to measure these commands:\n  zonemark run --group -- ./p ::: sh -c true\n"},
		{[]string{"./p"}, "it is a program:\n  zonemark run -- ./p\n"},
		{[]string{"run", "-u", "second", "sh -c true"}, "each row has its unit, and rows have the order of the command\n  zonemark run -- sh -c true\n"},
		// Google Benchmark, pytest-benchmark, criterion.rs
		{[]string{"run", "--benchmark_list_tests", "k.c"}, "  zonemark run --dry-run k.c\n"},
		{[]string{"run", "--benchmark_min_warmup_time=1", "k.c"}, "is not needed: calls are not timed until times are steady"},
		{[]string{"run", "--benchmark_counters_tabular=true", "k.c"}, "is not needed: each row has its unit"},
		{[]string{"run", "--benchmark-disable", "k.c"}, "  zonemark run --check k.c\n"},
		{[]string{"run", "-k", "x", "k.c"}, "-k is --filter here\n  zonemark run --filter x k.c\n"},
		{[]string{"run", "--warm-up-time", "3", "k.c"}, "--warmup N makes at least N calls"},
		{[]string{"run", "--quick", "k.c"}, "--quick is --max-time=500ms here\n  zonemark run --max-time=500ms k.c\n"},
		{[]string{"run", "--benchmark_filter=x", "k.c"}, "  zonemark run --filter=x k.c\n"},
		{[]string{"run", "--benchmark_repetitions=3", "k.c"}, "  zonemark run --launches=3 k.c\n"},
		{[]string{"run", "--benchmark_out=o", "k.c"}, "  zonemark run --output=o k.c\n"},
		{[]string{"hat", "--benchmark-json", "o", "k.hat"}, "  zonemark hat --output o k.hat\n"},
		{[]string{"run", "--benchmark-only", "k.c"}, "--benchmark-only is not needed"},
		{[]string{"run", "--baseline", "old.ndjson", "k.c"}, "--baseline is a comparison here:\n" +
			"  zonemark run k.c -o new.ndjson && zonemark compare old.ndjson new.ndjson\n"},
		{[]string{"run", "k.c", "--vs", "new.c"}, "  zonemark compare --measure new.c k.c\n"},
		{[]string{"run", "k.c", "--compare"}, "--compare is --group here: variants are compared with each other\n  zonemark run k.c --group\n"},
		{[]string{"run", "--baseline", "o"}, "then zonemark compare old.ndjson new.ndjson"},
		// Compilers, and parameters
		{[]string{"run", "k.c", "-O3", "-march=native"}, "-O3 is for the compiler; --cflags takes its flags:\n" +
			"  zonemark run k.c '--cflags=-O3 -march=native'\n"},
		{[]string{"run", "k.c", "--n", "27"}, "--n is no flag; a parameter of a function has one:\n  zonemark run k.c --param n=27\n"},
		{[]string{"run", "k.c", "-n", "27"}, "  zonemark run k.c --param n=27\n"},
		{[]string{"run", "--size", "n=27,28", "k.c"}, "  zonemark run --param n=27,28 k.c\n"},
		{[]string{"run", "k.c", "--param", "n", "27"}, "want NAME=VALUE, or a list of values:\n  zonemark run k.c --param n=27\n"},
		{[]string{"run", "k.c", "--param", "n:27"}, "  zonemark run k.c --param n=27\n"},
		{[]string{"run", "k.c", "--param", "n=10..12"}, "  zonemark run k.c --param n=10,11,12\n"},
		{[]string{"run", "k.c", "--function", "sum_*"}, "sum_* is a pattern; --filter takes regular expressions:\n" +
			"  zonemark run k.c --filter '^sum_.*$'\n"},
		{[]string{"compare", "k.c", "--param", "n=4"}, "to rank the functions of one file:\n  zonemark run --group k.c --param n=4\n"},
		{[]string{"compare", "k.c", "f", "g"}, "  zonemark run --group k.c --function f --function g\n"},
		{[]string{"compare", "--measure", "k.c:f", "k.c:g"}, "  zonemark run --group k.c --function f --function g\n"},
		{[]string{"report", "old.ndjson", "-o", "t.csv"}, "--html t.csv: a page is HTML; this writes what the name says:\n" +
			"  zonemark report old.ndjson --format csv >t.csv\n"},
		{[]string{"report", "old.ndjson", "--html=t.png"}, "  zonemark report old.ndjson --html t.html\n"},
		{[]string{"report", "--html", "old.ndjson"}, "  zonemark report old.ndjson --html old.html\n"},
		{[]string{"report", "old.ndjson", "--html"}, "--html needs the name of the page:\n  zonemark report old.ndjson --html page.html\n"},
		{[]string{"report", "old.ndjson", "--plot"}, "  zonemark report old.ndjson --html page.html\n"},
		{[]string{"report", "old.ndjson", "p.html"}, "  zonemark report old.ndjson --html p.html\n"},
		{[]string{"report", "old.ndjson", "--format", "json"}, "did you mean \"ndjson\"? There are text, csv, ndjson, gbench, benchfmt, bmf\n  zonemark report old.ndjson --format ndjson\n"},
		{[]string{"run", "k.c", "--format=CSV", "-q"}, "  zonemark run k.c --format csv -q\n"},
		{[]string{"run", "k.c", "-o", "t.csv", "--format", "csv"}, "  zonemark run k.c --format csv >t.csv\n"},
		{[]string{"bench", "k.c"}, "to measure a file:\n  zonemark run k.c\n"},
		{[]string{"run", "k.c", "--threads", "2"}, "to compute with 2:\n  zonemark run k.c --task-threads=2\n"},
		{[]string{"run", "k.c", "--iree-opt-level=O3"}, "  zonemark run k.c --compile-flags=--iree-opt-level=O3\n"},
		{[]string{"halide", "list"}, "to measure:\n  zonemark halide run --list\n"},
		{[]string{"halide", "k.c"}, "  zonemark halide run k.c\n"},
		{[]string{"run", "k.c", "-f", "g"}, "-f is --function here\n  zonemark run k.c --function g\n"},
		{[]string{"run", "--file", "k.c"}, "--file is not needed: what it names stands alone\n  zonemark run k.c\n"},
		{[]string{"run", "--measurement-time", "5", "k.c"}, "  zonemark run --min-time 5s k.c\n"},
		{[]string{"run", "--save-baseline", "o", "k.c"}, "  zonemark run --output o k.c\n"},
	} {
		var out, errors bytes.Buffer
		p := program.Standard()
		p.Streams = cli.Streams{Out: &out, Err: &errors}
		status := doMain(t.Context(), p, c.args)
		if status != cli.ExitError || out.Len() > 0 || !bytes.Contains(errors.Bytes(), []byte(c.want)) {
			t.Errorf("%q: status %d, %q, %q; want %q", c.args, status, out.String(), errors.String(), c.want)
		}
	}
}

// TestLibraryByFlag: a library that is named as linkers take it is measured by its path.
func TestLibraryByFlag(t *testing.T) {
	library := measuring.SystemLibrary("libc.so.6")
	if library == "" {
		library = measuring.SystemLibrary("libc")
	}
	err := libraryByFlag(program.Standard(), []string{"-q", "-lc", "abs", "--param", "x=1"})
	if library == "" {
		if err != nil {
			t.Error(err)
		}
		return
	}
	var post *cli.Signpost
	if !errors.As(err, &post) || !strings.HasSuffix(post.Command, " --function abs --param x=1") ||
		!strings.HasPrefix(post.Command, "zonemark run -q /") {
		t.Error(err)
	}
}

// TestFlagsBehind: flags of zonemark, and other programs' words for them, that stand behind a command that has failed are put
// before it.
func TestFlagsBehind(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"sh", "-c", "false", "--runs", "5"}, "zonemark run -q --launches 5 -- sh -c false"},
		{[]string{"sh", "--max-time", "1s"}, "zonemark run -q --max-time 1s -- sh"},
		{[]string{"sh", "--no-such-flag-anywhere"}, ""},
		{[]string{"sh", "-c", "false"}, ""},
		{[]string{"sh", "--max-time", "1s", "file"}, ""},
	} {
		args := append([]string{"-q", "--"}, c.words...)
		if got := flagsBehind(program.Standard(), args, [][]string{c.words}, cli.ExitNotOK); got != c.want {
			t.Errorf("%q: %s", c.words, got)
		}
		if got := flagsBehind(program.Standard(), args, [][]string{c.words}, cli.ExitOK); got != "" {
			t.Errorf("%q, which succeeds: %s", c.words, got)
		}
	}
}

// TestSeparatedCommands: a failed command with -- between two programs is told of :::.
func TestSeparatedCommands(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"sh", "-c", "false", "--", "sh"}, "zonemark run -q --group -- sh -c false ::: sh"},
		{[]string{"sh", "-c", "false", "vs", "sh"}, "zonemark run -q --group -- sh -c false ::: sh"},
		{[]string{"git", "log", "--", "no-such-program"}, ""},
		{[]string{"sh", "--"}, ""},
		{[]string{"--", "sh"}, ""},
	} {
		args := append([]string{"-q", "--"}, c.words...)
		if got := separatedCommands(args, [][]string{c.words}, cli.ExitNotOK); got != c.want {
			t.Errorf("%q: %s", c.words, got)
		}
		if got := separatedCommands(args, [][]string{c.words}, cli.ExitOK); (got != "") != slices.Contains(c.words, "vs") {
			t.Errorf("%q, which succeeds: %s", c.words, got)
		}
	}
}
