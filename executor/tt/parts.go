package tt

import (
	"fmt"
	"slices"

	"zonemark/executor/tt/stablehlo"
	"zonemark/executor/values"
	"zonemark/invocations"
)

// deviceInputs returns the inputs of one device: its parts of whole inputs if there are any, or else inputs of its own.
func (p *program) deviceInputs(inv *invocations.Invocation, whole []tensor, set, device int) ([]tensor, error) {
	if p.signature.partitions <= 1 {
		return p.inputs(inv, set, share{device, len(p.devices)})
	}
	var parts []tensor
	for i := range whole {
		parts = append(parts, whole[i].part(p.signature.arguments[i].sharding, device))
	}
	return parts, nil
}

// part returns the part of an array that a device holds. It shares the array's data if that is all of it.
func (t *tensor) part(s stablehlo.Sharding, device int) tensor {
	if !s.Split() {
		return *t
	}
	p := *t
	p.shape = s.PartDimensions(t.shape)
	p.data = make([]byte, 0, len(t.data)/parts(s))
	t.eachRun(s, device, func(run []byte) { p.data = append(p.data, run...) })
	return p
}

// place puts the part that a device holds into the array.
func (t *tensor) place(s stablehlo.Sharding, device int, part []byte) {
	if !s.Split() {
		copy(t.data, part)
		return
	}
	t.eachRun(s, device, func(run []byte) {
		copy(run, part)
		part = part[len(run):]
	})
}

func parts(s stablehlo.Sharding) int {
	count := int64(1)
	for _, n := range s.Tiles {
		count *= n
	}
	return int(count)
}

// eachRun visits the bytes of the array that belong to a device's part, in order, in runs that lie together.
func (t *tensor) eachRun(s stablehlo.Sharding, device int, visit func(run []byte)) {
	if len(t.data) == 0 {
		return
	}
	rank := len(s.Tiles)
	first := make([]int64, rank) // index of the part's first element
	for d, part := rank-1, int64(s.Parts[device]); d >= 0; d-- {
		first[d] = part % s.Tiles[d] * (t.shape[d] / s.Tiles[d])
		part /= s.Tiles[d]
	}
	t.visitDimension(s, first, 0, 0, int64(len(t.data)), visit)
}

// visitDimension visits the runs from a dimension on, in the block of bytes of size bytes at an offset.
func (t *tensor) visitDimension(
	s stablehlo.Sharding, first []int64, dimension int, offset, size int64, visit func(run []byte),
) {
	step := size / t.shape[dimension]
	count := t.shape[dimension] / s.Tiles[dimension]
	if !slices.ContainsFunc(s.Tiles[dimension+1:], func(n int64) bool { return n > 1 }) {
		visit(t.data[offset+first[dimension]*step : offset+(first[dimension]+count)*step])
		return
	}
	for i := range count {
		t.visitDimension(s, first, dimension+1, offset+(first[dimension]+i)*step, step, visit)
	}
}

// join makes one list of results of those of the devices that a program is split over. Devices that hold the same part
// must agree on it; if they do not, the mismatch names the first that does not.
func (p *program) join(devices [][]tensor, tolerance float64) (whole []tensor, mismatch string) {
	for i, v := range p.signature.results {
		t := devices[0][i]
		if v.sharding.Split() {
			t.shape = v.argument(invocations.Output).Shape
			t.data = make([]byte, len(t.data)*parts(v.sharding))
		}
		holder := map[int]int{} // the first device that holds a part
		for device := range devices {
			part, got := 0, devices[device][i].data
			if v.sharding.Split() {
				part = v.sharding.Parts[device]
			}
			first, held := holder[part]
			if !held {
				holder[part] = device
				t.place(v.sharding, device, got)
				continue
			}
			difference := values.Compare(got, devices[first][i].data, t.element.storage, tolerance)
			if difference != "" && mismatch == "" {
				mismatch = fmt.Sprintf("result %d: devices %d and %d hold the same part and differ: %s",
					i, first, device, difference)
			}
		}
		whole = append(whole, t)
	}
	return whole, mismatch
}
