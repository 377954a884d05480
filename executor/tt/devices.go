package tt

import (
	"bytes"
	"fmt"
	"os"

	"zonemark/executor/tt/pjrt"
	"zonemark/executor/tt/stablehlo"
)

// plan tells on which devices a program runs and what the compiler is told.
type plan struct {
	devices []pjrt.Device
	options []byte // serialized
}

// plan chooses the devices of all that run a program: as many as it has partitions, or replicas, or as the options say.
func (o options) plan(all []pjrt.Device, sig signature) (plan, error) {
	count, written, err := o.deviceCount(len(all), sig)
	if err != nil {
		return plan{}, err
	}
	if count > len(all) {
		return plan{}, fmt.Errorf("%s %d devices, and the plugin has %d devices", written, count, len(all))
	}
	p := plan{devices: all[:count]}
	switch {
	case o.file != "":
		p.options, err = o.readFile(count, sig)
	case sig.partitions > 1:
		p.options = pjrt.PartitionedOptions(p.devices, sig.shardy, o.overrides)
	default:
		p.options = pjrt.CompileOptions(count, o.overrides)
	}
	return p, err
}

// deviceCount returns the number of devices, and what asks for them. A program states its number; the user may state
// the number for one that runs on any.
func (o options) deviceCount(available int, sig signature) (count int, written string, err error) {
	chips := o.chips
	if chips == 0 {
		chips = available
	}
	stated, name := sig.partitions, "mhlo.num_partitions"
	switch {
	case sig.partitions > 1 && sig.replicas > 1:
		return 0, "", fmt.Errorf("mhlo.num_partitions is %d and mhlo.num_replicas is %d: programs with both are not "+
			"supported", sig.partitions, sig.replicas)
	case sig.replicas > 1:
		stated, name = sig.replicas, "mhlo.num_replicas"
	}
	if stated > 1 {
		if o.chosen && chips != stated {
			return 0, "", fmt.Errorf("%s of the program is %d, and option %s is %d: leave the option out",
				name, stated, optionChips, o.chips)
		}
		return stated, name + " of the program wants", nil
	}
	if o.file != "" && !o.chosen {
		if replicas, _, err := o.fileCounts(); err != nil || replicas > 0 {
			return int(replicas), optionIs(OptionFile, o.file) + " wants", err
		}
	}
	return chips, fmt.Sprintf("option %s=%d wants", optionChips, chips), nil
}

func optionIs(name, value string) string { return "option " + name + "=" + value }

// fileCounts reads the numbers of replicas and partitions in the file of compile options; 0 if it does not state them.
func (o options) fileCounts() (replicas, partitions int64, err error) {
	serialized, err := os.ReadFile(o.file)
	if err != nil {
		return 0, 0, fmt.Errorf("option %s: %w", OptionFile, err)
	}
	if replicas, partitions, err = pjrt.ReadCompileOptions(serialized); err != nil {
		return 0, 0, fmt.Errorf("%s: no serialized CompileOptionsProto: %w", o.file, err)
	}
	return replicas, partitions, nil
}

// readFile reads the file of compile options, which must be for as many devices as the program.
func (o options) readFile(count int, sig signature) ([]byte, error) {
	replicas, partitions, err := o.fileCounts()
	if err != nil {
		return nil, err
	}
	wantReplicas, wantPartitions := int64(count), int64(1)
	if sig.partitions > 1 {
		wantReplicas, wantPartitions = 1, int64(sig.partitions)
	}
	if got := max(partitions, 1); got != wantPartitions {
		return nil, fmt.Errorf("%s: it asks for %d partitions, and mhlo.num_partitions of the program is %d",
			o.file, got, wantPartitions)
	}
	if replicas > 0 && replicas != wantReplicas && o.chosen {
		return nil, fmt.Errorf("%s: it asks for %d replicas, and option %s is %d", o.file, replicas, optionChips, o.chips)
	}
	if replicas > 0 && replicas != wantReplicas {
		return nil, fmt.Errorf("%s: it asks for %d replicas, and the program runs on %d", o.file, replicas, wantReplicas)
	}
	return os.ReadFile(o.file)
}

// refuseUnread returns an error if a program is split over several devices (SPMD) and only a compiler can read it: in
// generic form or in bytecode. Compiled for one partition, it would compute something else. Where bytecode does not
// state the number of partitions, the texts of shardings tell that it is split.
func refuseUnread(program []byte, parsed stablehlo.Signature) error {
	const remedy = "programs that are split over several devices (SPMD) are read as text in its pretty form only: " +
		"print the module, or convert it with stablehlo-opt or mlir-opt"
	if parsed.Partitions > 1 {
		return fmt.Errorf("mhlo.num_partitions is %d: %s", parsed.Partitions, remedy)
	}
	if parsed.Partitions == 1 || !stablehlo.IsBytecode(program) {
		return nil
	}
	for _, text := range []string{"{devices=[", "{manual}", "sdy.mesh", "xla.sdy.meshes"} {
		if bytes.Contains(program, []byte(text)) {
			return fmt.Errorf("it has shardings (%s): %s", text, remedy)
		}
	}
	return nil
}
