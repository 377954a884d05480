package hatbench

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// rewriteArguments rewrites two forms that older tools accept and pflag does not: several names after --functions, and
// a separate value after --verbose.
func rewriteArguments(args []string) []string {
	var out []string
	var haveName, havePath bool
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--functions":
			haveName = false
			for i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") &&
				(!haveName || havePath || !looksLikePackage(args[i+1])) {
				i++
				out = append(out, "--functions="+args[i])
				haveName = true
			}
			if !haveName {
				out = append(out, arg) // pflag reports that it needs a value
			}
		case arg == "--verbose" && i+1 < len(args) && slices.Contains([]string{"True", "False", "true", "false", "1",
			"0"}, args[i+1]):
			i++ // the older tool takes any text, even "False", for yes
			out = append(out, "--verbose")
		default:
			havePath = havePath || looksLikePackage(arg)
			out = append(out, arg)
		}
	}
	return out
}

// looksLikePackage reports whether an argument is a package or an existing folder rather than the name of a function.
func looksLikePackage(arg string) bool {
	if strings.HasSuffix(arg, ".hat") {
		return true
	}
	info, err := os.Stat(arg)
	return err == nil && info.IsDir() && (strings.ContainsRune(arg, filepath.Separator) || arg == "." || arg == "..")
}
