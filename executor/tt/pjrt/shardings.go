package pjrt

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// These are field numbers of xla/service/hlo.proto and xla/xla_data.proto.
const (
	moduleResultSharding     = 12 // HloModuleProto.spmd_output_sharding
	moduleParameterShardings = 14 // HloModuleProto.spmd_parameters_shardings
	shardingType             = 1  // OpSharding.type
	shardingTiles            = 3  // OpSharding.tile_assignment_dimensions
	shardingDevices          = 4  // OpSharding.tile_assignment_devices
	shardingTuple            = 5  // OpSharding.tuple_shardings
	shardingLastReplicated   = 6  // OpSharding.replicate_on_last_tile_dim
	shardingLastDims         = 8  // OpSharding.last_tile_dims
	shardingIota             = 9  // OpSharding.iota_reshape_dims
	shardingTranspose        = 10 // OpSharding.iota_transpose_perm

	kindTuple = 2 // of OpSharding.Type
	kindTiled = 3
)

// Shardings tells how the compiler has split a program's arguments and results over the devices, each in HLO's notation:
// "{replicated}", "{devices=[2,2]<=[4]}".
type Shardings struct{ Arguments, Results []string }

// ProgramShardings reads the shardings of a compiled program from the result of OptimizedProgram, in the formats "hlo"
// and "hlo_with_config".
func ProgramShardings(program []byte, format string) (Shardings, error) {
	module, err := hloModule(program, format)
	if err != nil {
		return Shardings{}, err
	}
	var s Shardings
	err = messageFields(module, func(field protowire.Number, _ uint64, message []byte) error {
		switch {
		case message == nil:
		case field == moduleParameterShardings:
			list, err := readSharding(message)
			if err == nil && len(list) != 1 {
				err = errors.New("an argument is a tuple")
			}
			if s.Arguments = append(s.Arguments, list...); len(s.Arguments) > maxParameters {
				err = fmt.Errorf("more than %d arguments", maxParameters)
			}
			return err
		case field == moduleResultSharding:
			list, err := readSharding(message)
			s.Results = list
			return err
		}
		return nil
	})
	if err != nil {
		return Shardings{}, fmt.Errorf("compiled program (%s): shardings: %w", format, err)
	}
	return s, nil
}

// opSharding is an OpSharding.
type opSharding struct {
	kind                                        uint64
	tiles, devices, lastDims, iota, permutation []uint64
	lastReplicated                              bool
	tuple                                       [][]byte
}

// readSharding returns the notation of an OpSharding, or those of its elements if it is a tuple.
func readSharding(message []byte) ([]string, error) {
	s, err := parseSharding(message)
	if err != nil {
		return nil, err
	}
	if s.kind != kindTuple {
		return []string{s.String()}, nil
	}
	list := []string{}
	for _, element := range s.tuple {
		e, err := parseSharding(element)
		if err != nil {
			return nil, err
		}
		if e.kind == kindTuple || len(list) == maxParameters {
			return nil, errors.New("a tuple of tuples, or of too many elements")
		}
		list = append(list, e.String())
	}
	return list, nil
}

func parseSharding(message []byte) (s opSharding, err error) {
	err = messageFields(message, func(field protowire.Number, value uint64, bytes []byte) error {
		lists := map[protowire.Number]*[]uint64{shardingTiles: &s.tiles, shardingDevices: &s.devices,
			shardingLastDims: &s.lastDims, shardingIota: &s.iota, shardingTranspose: &s.permutation}
		list, isList := lists[field]
		switch {
		case isList && bytes == nil:
			*list = append(*list, value)
		case isList:
			for len(bytes) > 0 {
				n, size := protowire.ConsumeVarint(bytes)
				if size < 0 {
					return errors.New("a list of numbers is cut off")
				}
				*list, bytes = append(*list, n), bytes[size:]
			}
		case field == shardingType:
			s.kind = value
		case field == shardingLastReplicated:
			s.lastReplicated = value != 0
		case field == shardingTuple:
			s.tuple = append(s.tuple, bytes)
		}
		return nil
	})
	return s, err
}

// String returns the notation of HloSharding::ToString.
func (s opSharding) String() string {
	kinds := [...]string{0: "replicated", 1: "maximal", 4: "manual", 5: "unknown", 6: "unreduced"}
	if s.kind != kindTiled {
		if s.kind < uint64(len(kinds)) && kinds[s.kind] != "" {
			return "{" + kinds[s.kind] + "}"
		}
		return fmt.Sprintf("{kind%d}", s.kind)
	}
	text := "{devices=[" + joined(s.tiles) + "]"
	switch {
	case len(s.devices) > 0:
		text += joined(s.devices)
	case len(s.permutation) > 0:
		text += "<=[" + joined(s.iota) + "]T(" + joined(s.permutation) + ")"
	default:
		text += "<=[" + joined(s.iota) + "]"
	}
	if s.lastReplicated {
		text += " last_tile_dim_replicate"
	}
	if len(s.lastDims) > 0 {
		var list []string
		for _, kind := range s.lastDims {
			list = append(list, strings.Trim(opSharding{kind: kind}.String(), "{}"))
		}
		text += " last_tile_dims={" + strings.Join(list, ", ") + "}"
	}
	return text + "}"
}

func joined(list []uint64) string {
	var texts []string
	for _, n := range list {
		texts = append(texts, strconv.FormatUint(n, 10))
	}
	return strings.Join(texts, ",")
}
