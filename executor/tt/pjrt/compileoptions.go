package pjrt

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Override is an option of a plugin's compiler, by the plugin's own name.
type Override struct {
	Name  string
	Value any // string, bool, int64 or float64
}

// Field numbers of xla/pjrt/proto/compile_options.proto.
const (
	optionsBuild     = 3 // CompileOptionsProto.executable_build_options
	optionsOverrides = 7 // CompileOptionsProto.env_option_overrides, a map
	buildReplicas    = 4 // ExecutableBuildOptionsProto.num_replicas
	buildPartitions  = 5 // ExecutableBuildOptionsProto.num_partitions
	overrideString   = 1 // OptionOverrideProto
	overrideBool     = 2
	overrideInt      = 3
	overrideDouble   = 4
)

// CompileOptions serializes a CompileOptionsProto: as many replicas of a program of one partition, and overrides, in
// their order.
func CompileOptions(replicas int, overrides []Override) []byte {
	build := appendVarintField(nil, buildReplicas, uint64(replicas))
	build = appendVarintField(build, buildPartitions, 1)
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

// ReadCompileOptions reads how many replicas and partitions a serialized CompileOptionsProto asks for; 0 where it does
// not say.
func ReadCompileOptions(serialized []byte) (replicas, partitions int64, err error) {
	err = messageFields(serialized, func(field protowire.Number, _ uint64, build []byte) error {
		if field != optionsBuild || build == nil {
			return nil
		}
		return messageFields(build, func(field protowire.Number, value uint64, bytes []byte) error {
			if bytes != nil || value > replicasMax {
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

// replicasMax bounds the devices that are believed.
const replicasMax = 1 << 16
