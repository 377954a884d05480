package stablehlo

import (
	"errors"
	"fmt"
	"slices"
)

// ParseSharding reads XLA's notation for a program of so many partitions: {replicated} or {devices=[2,1,2]<=[4] last_tile_dim_replicate}. See
// HloSharding::ToString and TileAssignment::ToString in OpenXLA's xla/hlo/ir.
func ParseSharding(text string, partitions int) (Sharding, error) {
	s := &scanner{text: []byte(text)}
	if s.expect("{"); s.err != nil {
		return Sharding{}, fmt.Errorf("want it in the notation of HLO, such as {devices=[2,2]<=[4]}: %w", s.err)
	}
	t := s.next()
	switch {
	case s.err != nil:
		return Sharding{}, s.err
	case t.text == "replicated":
		return Sharding{}, nil
	case t.text != "devices":
		return Sharding{}, fmt.Errorf("sharding of the kind %q is not supported; zonemark knows devices=[…] and "+
			"replicated", t.text)
	}
	s.expect("=")
	tiles := s.numbers("[", "]")
	s.keep(checkTiles(tiles, partitions))
	devices, t := s.tileDevices(partitions)
	subgroups := s.subgroups(t)
	if subgroups > len(tiles) {
		s.keep(errors.New("it has fewer dimensions than kinds of subgroups"))
	}
	if s.err != nil {
		return Sharding{}, s.err
	}
	return assign(tiles, devices, subgroups), nil
}

// assign gives each device its part. The last subgroups dimensions of tiles count the devices that hold the same.
func assign(tiles []int64, devices []int, subgroups int) Sharding {
	rank := len(tiles) - subgroups
	copies := 1
	for _, n := range tiles[rank:] {
		copies *= int(n)
	}
	parts := make([]int, len(devices))
	for i, device := range devices {
		parts[device] = i / copies
	}
	return Sharding{Tiles: tiles[:rank], Parts: parts}
}

// checkTiles returns an error unless there are as many tiles as devices.
func checkTiles(tiles []int64, partitions int) error {
	product := int64(1)
	for _, n := range tiles {
		if n < 1 || n > maxDevices {
			return fmt.Errorf("%d parts along a dimension", n)
		}
		if product *= n; product > maxDevices {
			return fmt.Errorf("more than %d parts", maxDevices)
		}
	}
	if product != int64(partitions) {
		return fmt.Errorf("it is for %d devices and mhlo.num_partitions is %d", product, partitions)
	}
	return nil
}

// tileDevices reads the devices of the tiles in order, and the token behind them: 3,1,0,2 or <=[2,2]T(1,0), which
// counts the devices along dimensions that are then transposed.
func (s *scanner) tileDevices(partitions int) (devices []int, after token) {
	t := s.next()
	if t.text != "<" {
		for {
			devices = append(devices, int(s.number(t)))
			if after = s.next(); after.text != "," {
				s.keep(permutation(devices, partitions))
				return devices, after
			}
			t = s.next()
		}
	}
	s.expect("=")
	dims := s.numbers("[", "]")
	s.keep(checkTiles(dims, partitions))
	order := make([]int, len(dims))
	for i := range order {
		order[i] = i
	}
	if after = s.next(); after.text == "T" {
		order = nil
		for _, n := range s.numbers("(", ")") {
			order = append(order, int(n))
		}
		s.keep(permutation(order, len(dims)))
		after = s.next()
	}
	if s.err != nil {
		return nil, after
	}
	return transposed(dims, order), after
}

// transposed returns the numbers from 0 up, laid out along dims in row-major order and read with the dimensions in
// another order.
func transposed(dims []int64, order []int) []int {
	strides := make([]int, len(dims))
	count := 1
	for d := len(dims) - 1; d >= 0; d-- {
		strides[d] = count
		count *= int(dims[d])
	}
	list := []int{0}
	for _, d := range order {
		var next []int
		for _, start := range list {
			for i := range int(dims[d]) {
				next = append(next, start+i*strides[d])
			}
		}
		list = next
	}
	return list
}

// permutation returns an error unless a list holds each number below count once.
func permutation(list []int, count int) error {
	sorted := slices.Sorted(slices.Values(list))
	for i, n := range sorted {
		if n != i {
			return fmt.Errorf("%v does not name each of %d once", list, count)
		}
	}
	if len(list) != count {
		return fmt.Errorf("it names %d of %d", len(list), count)
	}
	return nil
}

// subgroups reads what follows the devices and returns how many of the last dimensions of the tiles count devices that
// hold the same part.
func (s *scanner) subgroups(t token) (count int) {
	for ; t.text != "}"; t = s.next() {
		switch t.text {
		case "last_tile_dim_replicate":
			count = 1
		case "last_tile_dims":
			count = s.replicatedDims()
		case "metadata":
			s.expect("=", "{")
			s.skipUntil("}")
		default:
			s.fail(t, "not supported in a sharding")
			return 0
		}
	}
	return count
}

// replicatedDims reads ={replicated, replicated}.
func (s *scanner) replicatedDims() (count int) {
	s.expect("=", "{")
	for t := s.next(); t.text != "}"; t = s.next() {
		switch t.text {
		case ",":
		case "replicated":
			count++
		default:
			s.fail(t, "subgroups of this kind are not supported; want replicated")
			return 0
		}
	}
	return count
}
