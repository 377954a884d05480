package pjrt

import (
	"math"
	"unsafe"
)

// Attributes returns what the plugin reports about itself, such as "stablehlo_current_version" and "xla_version":
// strings, int64, float64, bool and lists of int64. It is empty if the plugin reports nothing.
func (p *Plugin) Attributes() map[string]any {
	args := pluginAttributesArgs{base: sized[pluginAttributesArgs]()}
	if p.call(pluginAttributes, unsafe.Pointer(&args)) != nil {
		return nil
	}
	return namedValues(args.values, args.count)
}

// maxNamedValues limits the length of a list, as a check of plausibility.
const maxNamedValues = 1 << 12

// namedValues copies a list of PJRT_NamedValue. Each holds its own size, which is that of the plugin's version.
func namedValues(list, count uintptr) map[string]any {
	if list == 0 || count == 0 || count > maxNamedValues {
		return nil
	}
	values := map[string]any{}
	stride := (*namedValue)(at(list)).size
	if stride < unsafe.Sizeof(namedValue{}) {
		return nil
	}
	for i := range count {
		v := (*namedValue)(at(list + i*stride))
		name := text(v.name, min(v.nameSize, maxMessage))
		switch v.kind {
		case namedString:
			values[name] = text(uintptr(v.value), min(v.valueSize, maxMessage))
		case namedInt64:
			values[name] = int64(v.value)
		case namedInt64List:
			if v.value != 0 && v.valueSize <= maxNamedValues {
				values[name] = append([]int64(nil), unsafe.Slice((*int64)(at(uintptr(v.value))), v.valueSize)...)
			}
		case namedFloat:
			values[name] = float64(math.Float32frombits(uint32(v.value)))
		case namedBool:
			values[name] = v.value&0xff != 0
		}
	}
	return values
}
