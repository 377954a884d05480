package invocations

import (
	"maps"
	"slices"
	"strings"
)

// Keys of Result.Properties for calls that run in processes of their own.
const (
	UserProperty   = "user_ns"   // median CPU time in user mode
	SystemProperty = "system_ns" // median CPU time in the kernel
)

// ParametersText returns parameters, or other values by their names, as "K=1 M=2", in the order of the names.
func ParametersText(parameters map[string]string) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		words = append(words, name+"="+parameters[name])
	}
	return strings.Join(words, " ")
}
