package plan

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"zonemark/invocations"
)

// inferSizes returns the parameters of a function that a request leaves open and that are dimensions of given arrays, with
// the sizes of these. list are the arguments of the invocation.
func (p *Planner) inferSizes(
	r *invocations.Invocation, f *invocations.Function, list []invocations.Argument,
) map[string]string {
	if p.Shape == nil || len(r.Arguments) == 0 {
		return nil
	}
	places, err := argumentPlaces(r.Arguments, f.Arguments)
	if err != nil {
		return nil
	}
	open, found := openSizes(r, f), map[string]string{}
	for n := range r.Arguments {
		a := &list[places[n]]
		if a.Extent == "" || len(open) == 0 {
			continue
		}
		shape := r.Arguments[n].Shape
		if shape == nil && a.Fill == invocations.FillFile {
			shape = p.Shape(a.Contents, a.Element)
		}
		for name, size := range dimensionsOf(a.Extent, shape) {
			if open[name] {
				found[name] = strconv.FormatInt(size, 10)
				delete(open, name) // the first array decides
			}
		}
	}
	return found
}

// sizesNote returns a note that lists sizes; empty if there are none.
func sizesNote(sizes map[string]string) string {
	if len(sizes) == 0 {
		return ""
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		list = append(list, name+"="+sizes[name])
	}
	return "sizes of the given arrays: " + strings.Join(list, ", ")
}

// with returns parameters and some more.
func with(parameters, more map[string]string) map[string]string {
	if len(more) == 0 {
		return parameters
	}
	all := map[string]string{}
	maps.Copy(all, parameters)
	maps.Copy(all, more)
	return all
}

// openSizes returns the parameters of a function that a request gives no value.
func openSizes(r *invocations.Invocation, f *invocations.Function) map[string]bool {
	open := map[string]bool{}
	for _, q := range f.Parameters {
		if r.Parameters[q.Name] == "" && !hasContents(r.Arguments, q.Name) && !q.Estimated {
			open[q.Name] = true
		}
	}
	return open
}

// dimensionsOf returns the names in an extent such as "n" or "rows*8" with their values in an array of a shape. An array
// of one dimension tells the only name of a product.
func dimensionsOf(extent string, shape []int64) map[string]int64 {
	factors := strings.Split(extent, "*")
	if shape == nil || len(shape) != len(factors) && len(shape) != 1 {
		return nil
	}
	sizes, numbers, names := map[string]int64{}, int64(1), 0
	for i, factor := range factors {
		factor = strings.TrimSpace(factor)
		number, err := strconv.ParseInt(factor, 10, 64)
		switch {
		case err == nil && number > 0 && numbers <= 1<<40/number:
			numbers *= number
		case err == nil:
			return nil
		default:
			sizes[factor] = shape[min(i, len(shape)-1)]
			names++
		}
	}
	if len(shape) == len(factors) {
		return sizes
	}
	if names != 1 || shape[0]%numbers != 0 {
		return nil
	}
	for name := range sizes {
		sizes[name] = shape[0] / numbers
	}
	return sizes
}
