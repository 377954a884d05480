package pjrt

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Override is an option of a plugin's compiler, by the plugin's own name.
type Override struct {
	Name  string
	Value any // string, bool, int64 or float64
}

// Field numbers of xla/pjrt/proto/compile_options.proto.
const (
	optionsBuild            = 3 // CompileOptionsProto.executable_build_options
	optionsOverrides        = 7 // CompileOptionsProto.env_option_overrides, a map
	buildReplicas           = 4 // ExecutableBuildOptionsProto.num_replicas
	buildPartitions         = 5 // ExecutableBuildOptionsProto.num_partitions
	mapKey, mapValue        = 1, 2
	overrideString          = 1 // OptionOverrideProto
	overrideBool            = 2
	overrideInt             = 3
	overrideDouble          = 4
	wireVarint              = 0
	wireFixed64             = 1
	wireBytes               = 2
	wireFixed32             = 5
	wireBits                = 3
	wireMask         uint64 = 1<<wireBits - 1
)

// CompileOptions serializes a CompileOptionsProto: as many replicas of a program of one partition, and overrides, in their order.
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
			bit := uint64(0)
			if v {
				bit = 1
			}
			value = appendVarintField(nil, overrideBool, bit)
		case int64:
			value = appendVarintField(nil, overrideInt, uint64(v))
		case float64:
			value = binary.AppendUvarint(nil, overrideDouble<<wireBits|wireFixed64)
			value = binary.LittleEndian.AppendUint64(value, math.Float64bits(v))
		}
		entry := appendBytesField(nil, mapKey, []byte(o.Name))
		options = appendBytesField(options, optionsOverrides, appendBytesField(entry, mapValue, value))
	}
	return options
}

// ReadCompileOptions reads how many replicas and partitions a serialized CompileOptionsProto asks for; 0 where it does not say.
func ReadCompileOptions(serialized []byte) (replicas, partitions int64, err error) {
	err = messageFields(serialized, func(field int, _ uint64, build []byte) error {
		if field != optionsBuild || build == nil {
			return nil
		}
		return messageFields(build, func(field int, value uint64, bytes []byte) error {
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

func appendVarintField(b []byte, field int, value uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(field)<<wireBits|wireVarint), value)
}

func appendBytesField(b []byte, field int, value []byte) []byte {
	b = binary.AppendUvarint(b, uint64(field)<<wireBits|wireBytes)
	return append(binary.AppendUvarint(b, uint64(len(value))), value...)
}
