package iree

import (
	"strings"
	"testing"

	"zonemark/executor"
)

// Checks that a module brings itself are not made by a runtime without IREE's check module, and a warning says so.
func TestModuleChecks(t *testing.T) {
	in := compiler(t)
	source := `func.func @one() -> tensor<2xf32> {
  %0 = util.unfoldable_constant dense<1.0> : tensor<2xf32>
  CHECK
  return %0 : tensor<2xf32>
}
`
	for check, warned := range map[string]bool{
		"": false, "check.expect_eq_const(%0, dense<2.0> : tensor<2xf32>) : tensor<2xf32>": true,
	} {
		path, cache := keptSource(t, "m.mlir", strings.Replace(source, "CHECK", check, 1))
		o := executor.DescribeOptions{Cache: cache, Options: map[string]string{}}
		list, err := in.describeAll(path, o, wholeFunctions{})
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Contains(strings.Join(list[0].Warnings, "\n"), "checks of its own"); said != warned {
			t.Errorf("%q: warnings %q", check, list[0].Warnings)
		}
	}
}
