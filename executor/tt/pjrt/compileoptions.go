package pjrt

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Override is an option of a plugin's compiler, with the plugin's own name.
type Override struct {
	Name  string
	Value any // string, bool, int64 or float64
}

// These are field numbers of xla/pjrt/proto/compile_options.proto.
const (
	optionsBuild     = 3  // CompileOptionsProto.executable_build_options
	optionsOverrides = 7  // CompileOptionsProto.env_option_overrides, a map
	buildReplicas    = 4  // ExecutableBuildOptionsProto.num_replicas
	buildPartitions  = 5  // ExecutableBuildOptionsProto.num_partitions
	buildSPMD        = 6  // ExecutableBuildOptionsProto.use_spmd_partitioning
	buildDevices     = 9  // ExecutableBuildOptionsProto.device_assignment
	buildShardy      = 19 // ExecutableBuildOptionsProto.use_shardy_partitioner
	assignReplicas   = 1  // DeviceAssignmentProto.replica_count
	assignPartitions = 2  // DeviceAssignmentProto.computation_count
	assignDevices    = 3  // DeviceAssignmentProto.computation_devices, one message for each partition
	assignedIDs      = 1  // ComputationDevice.replica_device_ids
	overrideString   = 1  // OptionOverrideProto
	overrideBool     = 2
	overrideInt      = 3
	overrideDouble   = 4
)

// CompileOptions serializes a CompileOptionsProto with so many replicas of a program of one partition, and with the
// overrides in their order.
func CompileOptions(replicas int, overrides []Override) []byte {
	build := appendVarintField(nil, buildReplicas, uint64(replicas))
	build = appendVarintField(build, buildPartitions, 1)
	return buildOptions(build, overrides)
}

// PartitionedOptions serializes a CompileOptionsProto for a program that is split over the devices, one partition each,
// by the partitioner Shardy or, without it, by XLA's own (GSPMD). If a device has no ID, the plugin chooses the devices.
func PartitionedOptions(devices []Device, shardy bool, overrides []Override) []byte {
	build := appendVarintField(nil, buildReplicas, 1)
	build = appendVarintField(build, buildPartitions, uint64(len(devices)))
	build = appendVarintField(build, buildSPMD, 1)
	assignment := appendVarintField(nil, assignReplicas, 1)
	assignment = appendVarintField(assignment, assignPartitions, uint64(len(devices)))
	known := true
	for _, d := range devices {
		known = known && d.ID >= 0
		ids := protowire.AppendVarint(nil, uint64(d.ID))
		assignment = appendBytesField(assignment, assignDevices, appendBytesField(nil, assignedIDs, ids))
	}
	if known {
		build = appendBytesField(build, buildDevices, assignment)
	}
	if shardy {
		build = appendVarintField(build, buildShardy, 1)
	}
	return buildOptions(build, overrides)
}

// buildOptions serializes a CompileOptionsProto from its build options.
func buildOptions(build []byte, overrides []Override) []byte {
	options := appendBytesField(nil, optionsBuild, build)
	for _, o := range overrides {
		var value []byte
		switch v := o.Value.(type) {
		case string:
			value = appendBytesField(nil, overrideString, []byte(v))
		case bool:
			value = appendVarintField(nil, overrideBool, protowire.EncodeBool(v))
		case int64:
			value = appendVarintField(nil, overrideInt, uint64(v))
		case float64:
			value = protowire.AppendTag(nil, overrideDouble, protowire.Fixed64Type)
			value = protowire.AppendFixed64(value, math.Float64bits(v))
		}
		entry := appendBytesField(nil, mapKey, []byte(o.Name))
		options = appendBytesField(options, optionsOverrides, appendBytesField(entry, mapValue, value))
	}
	return options
}

// ReadCompileOptions returns the numbers of replicas and partitions that a serialized CompileOptionsProto asks for, or
// 0 if it does not state them.
func ReadCompileOptions(serialized []byte) (replicas, partitions int64, err error) {
	err = messageFields(serialized, func(field protowire.Number, _ uint64, build []byte) error {
		if field != optionsBuild || build == nil {
			return nil
		}
		return messageFields(build, func(field protowire.Number, value uint64, bytes []byte) error {
			if bytes != nil || value > maxReplicas {
				if field == buildReplicas || field == buildPartitions {
					return fmt.Errorf("field %d of its build options is no number of devices", field)
				}
				return nil
			}
			switch field {
			case buildReplicas:
				replicas = int64(value)
			case buildPartitions:
				partitions = int64(value)
			}
			return nil
		})
	})
	return replicas, partitions, err
}

// maxReplicas limits the number of devices, as a check of plausibility.
const maxReplicas = 1 << 16
