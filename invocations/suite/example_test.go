package suite_test

import (
	"fmt"

	"zonemark/invocations"
	"zonemark/invocations/suite"
)

// A suite expands to an invocation for each point of its axes. The file takes precedence over the caller's base, and
// the caller's override takes precedence over the file.
func Example() {
	options := []invocations.Option{{Name: "device", Usage: "device of the module"}}
	s, err := suite.ParseText("sizes.toml", `
		[defaults]
		artifact = "sizes.hat"
		min_time = "100ms"

		[[invocation]]
		name = "product {M} on {device}"
		function = "product"
		params = { K = 64 }
		axes = { M = [16, 32], device = ["local-sync"] }
	`, options)
	if err != nil {
		fmt.Println(err)
		return
	}
	base := invocations.Invocation{Measure: invocations.Measure{Mode: invocations.Warm}}
	list, err := s.Expand(base, func(v *invocations.Invocation) { v.Measure.CPU = 2 })
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range list {
		fmt.Println(v.Name, v.Parameters, v.Artifact.Options, v.Measure.Mode, v.Measure.MinTimeNS, v.Measure.CPU)
	}
	// Output:
	// product 16 on local-sync map[K:64 M:16] map[device:local-sync] warm 100000000 2
	// product 32 on local-sync map[K:64 M:32] map[device:local-sync] warm 100000000 2
}

// An error names the file, the line and the key, and suggests the key that was probably meant.
func ExampleParseText_error() {
	_, err := suite.ParseText("sizes.toml", "[[invocation]]\nartifact = 'sizes.hat'\nmin_tim = '1s'\n", nil)
	fmt.Println(err)
	// Output: sizes.toml:3: invocation.min_tim: unknown key; did you mean "min_time"?
}
