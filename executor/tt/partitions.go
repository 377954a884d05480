package tt

import (
	"bytes"
	"fmt"

	"zonemark/executor/tt/stablehlo"
)

// refusePartitions returns an error if a program is to be split over several devices (SPMD). Compiled for one
// partition, it would compute something else. In bytecode, which cannot be read here, the texts of shardings tell that.
func refusePartitions(program []byte, parsed stablehlo.Signature) error {
	if parsed.Partitions > 1 {
		return fmt.Errorf("mhlo.num_partitions is %d: programs that are split over several devices (SPMD) are not "+
			"supported", parsed.Partitions)
	}
	if !stablehlo.IsBytecode(program) {
		return nil
	}
	for _, name := range []string{"{devices=[", "{manual}", "sdy.mesh", "xla.sdy.meshes"} {
		if bytes.Contains(program, []byte(name)) {
			return fmt.Errorf("it has shardings (%s): programs that are split over several devices (SPMD) are not supported", name)
		}
	}
	return nil
}
