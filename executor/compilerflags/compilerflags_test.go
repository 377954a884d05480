package compilerflags

import (
	"errors"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"zonemark/invocations/testneeds"
)

func TestHarmless(t *testing.T) {
	for _, flag := range []string{
		"-O", "-O0", "-O3", "-Ofast", "-Os", "-Oz", "-std=c11", "-std=gnu++20", "-g", "-ggdb3", "-gdwarf-4", "-w",
		"-Wall", "-Wno-unused-variable", "-Werror=vla", "-Wformat=2", "-DN=4", "-DF(a,b)=a+b", `-DNAME="x.h"`, "-UNDEBUG",
		"-Iinclude", "-I.", "-Iinclude/deep", "-lm", "-lopenblas", "-l:libx.so.1", "-pthread", "-fopenmp", "-flto=auto",
		"-ffast-math", "-fno-math-errno", "-ffp-contract=fast", "-funroll-loops", "-fno-builtin-memcpy",
		"-march=native", "-march=armv8.2-a+sve", "-mtune=znver4", "-mavx512f", "-mno-avx", "-mavx10.2-256", "-msse4.2",
		"-mprefer-vector-width=512", "-mfma", "-mamx-tile",
	} {
		if !Harmless(flag) {
			t.Errorf("%s is refused", flag)
		}
	}
	for _, flag := range []string{
		"", "-", "@file", "file.o", "--help", "-o", "-oout", "-c", "-E", "-S", "-x", "-xc", "-v", "-###",
		"-fplugin=x.so", "-fplugin-arg-x-y", "-fcompare-debug=-fplugin=x.so", "-fcompare-debug", "-fopt-info-all=x",
		"-fopt-info", "-fdump-tree-all", "-fdump-rtl-all=/x", "-save-temps", "-fsave-optimization-record", "-aux-info",
		"-specs=x", "--specs=x", "-B.", "-B/x", "-wrapper", "-Wl,-rpath,x", "-Wa,--defsym", "-Wp,-MD,x", "-Xlinker",
		"-Xassembler", "-Xclang", "-Xpreprocessor", "-include", "-includex", "-imacros", "-isystem/x", "-iquote/x",
		"-MF", "-MD", "-MMD", "-T", "-Tx.ld", "-z", "-L.", "-L/x", "-fuse-ld=x", "-fuse-ld=/x", "-fprofile-use=x",
		"-fprofile-generate", "-fauto-profile=x", "-fprofile-dir=x", "-fcallgraph-info", "-fdebug-prefix-map=a=b",
		"-ffile-prefix-map=a=b", "-fsanitize-blacklist=x", "-fsanitize=address", "-fmodule-file=x", "-fmodules-cache-path=x",
		"-fpass-plugin=x.so", "-fembed-bitcode", "-foffload=x", "-foffload-options=x", "-fvtable-verify=std",
		"-fdiagnostics-format=sarif-file", "-gsplit-dwarf", "-mllvm", "-mllvm=-load=x", "-mlink-builtin-bitcode",
		"-mdump-tune-features", "-frandom-seed=x", "-I", "-I/x", "-I..", "-Ia/../../b", "-I-", "-I@x", "-I-x", "-Ia,b",
		"-l", "-l/x", "-l../x", "-l-x", "-D", "-D1", "-D=x", "-U", "-march=../x", "-march=/x", "-std=x/y",
		"-Wframe-larger-than=/x", "-W,x", "-O/x", "-flto=/x", "-DX\n-B.", "-fno-plugin", "-fno-opt-info", "-static",
		"-nostdlib", "-shared", "-rdynamic", "-fveclib=/x", "-dumpdir", "-dumpbase", "--sysroot=/x", "-isysroot/x",
		"-idirafter", "-print-file-name=x", "-fworking-directory", "-ftest-coverage", "-fprofile-arcs", "--coverage",
		"-fself-test=x", "-fcrash-diagnostics-dir=x", "-ftime-trace=x", "-fproc-stat-report=x", "-fstack-usage",
	} {
		if Harmless(flag) {
			t.Errorf("%q is let through", flag)
		}
	}
}

func TestSplit(t *testing.T) {
	flags, err := Split(" -O3  -march=native ")
	if err != nil || strings.Join(flags, " ") != "-O3 -march=native" {
		t.Errorf("%q, %v", flags, err)
	}
	_, err = Split("-O3 -fplugin=x.so")
	if err == nil || !strings.Contains(err.Error(), `"-fplugin=x.so"`) {
		t.Errorf("error %v", err)
	}
}

func TestCheckCompiler(t *testing.T) {
	for text, good := range map[string]bool{
		"cc": true, "gcc-14": true, "clang": true, "x86_64-linux-gnu-gcc-12": true, "gcc -m64": true, "": true,
		"/usr/bin/cc": true, "./cc": false, "/tmp/cc": false, "/usr/bin/../../tmp/cc": false, "sh": false, "gcc -B.": false, "python3": false, "-cc": false, "@cc": false,
	} {
		if err := CheckCompiler(text); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// listed are the flags in what a compiler prints for --help: "-fplugin=", "-fopt-info[-<type>=filename]".
var listed = regexp.MustCompile(`(?m)^\s+(-[fmW][^\s,]*)(.*)$`)

// ofFiles are names of flags of compilers that name files, load code, start programs or write beside the output, or
// have a value that does.
var ofFiles = regexp.MustCompile(`plugin|dump|profile|opt-info|compare-debug|callgraph|save-(temps|opt)|prefix-map|-file$|` +
	`(file|exclude|filter|include)-|-path=|-dir$|specs|wrapper|use-ld|offload|crash|time-trace|sanitize|coverage|stack-usage|` +
	`vtable|optimization-record|module|bitcode|blacklist|ignorelist|llvm|self-test|report|pch|thinlto|embed|diagnostics`)

// TestCompilersFlags checks every flag of -f, -m and -W that the installed compilers list: none that takes a file or loads
// code is let through, with any value.
func TestCompilersFlags(t *testing.T) {
	tried := 0
	for _, command := range [][]string{
		{"gcc", "--help=common"}, {"gcc", "--help=optimizers"}, {"gcc", "--help=target"}, {"gcc", "--help=warnings"},
		{"gcc", "--help=c"}, {"gcc", "--help=undocumented"}, {"gcc", "--help=joined"}, {"gcc", "--help=separate"},
		{"clang", "--help"}, {"clang", "--help-hidden"}, {"clang", "-cc1", "--help-hidden"},
	} {
		text, err := exec.Command(command[0], command[1:]...).Output()
		if err != nil {
			continue // it is not installed
		}
		for _, m := range listed.FindAllStringSubmatch(string(text), -1) {
			tried++
			tryFlag(t, m[1], m[2])
		}
	}
	if tried == 0 {
		testneeds.Missing(t, errors.New("there is no gcc and no clang"))
	}
	t.Logf("%d flags", tried)
}

// tryFlag checks a flag as a compiler lists it, with what is said of it.
func tryFlag(t *testing.T, flag, said string) {
	t.Helper()
	name, _, _ := strings.Cut(flag, "=")
	name, _, _ = strings.Cut(name, "[")
	name, _, _ = strings.Cut(name, "<")
	said = strings.ToLower(said)
	dangerous := !strings.HasPrefix(name, "-W") && ofFiles.MatchString(name) || strings.Contains(said, "<file") || strings.Contains(said, "<path") ||
		strings.Contains(said, "<dir") || strings.Contains(said, "filename")
	for _, form := range []string{"", "=x", "x", "=x.so", "=1"} {
		if dangerous && Harmless(name+form) {
			t.Errorf("%s is let through: %s", name+form, said)
		}
	}
	for _, value := range []string{"/x", "../x", "./x", "a,b", "@x", "a=/x", "x;y", "$x"} {
		for _, between := range []string{"", "=", "-", ","} {
			if Harmless(name + between + value) {
				t.Errorf("%s is let through", name+between+value)
			}
		}
	}
}
