package combine

import (
	"fmt"
	"slices"

	"zonemark/invocations"
	"zonemark/invocations/figures"
	"zonemark/invocations/stats"
)

// placed is where the arrays of a launch began within a page, and the median of the launch.
type placed struct {
	offsets []int64 // modulo invocations.PlacementPage
	ns      float64
}

// placementEffect is what the place of one array does to the time, by where another one lies.
type placementEffect struct {
	of, to        int   // the arrays
	within        int64 // launches are near in which the first one begins less than so many bytes behind the other
	near, far     int   // number of launches
	nearNS, farNS float64
}

func (e placementEffect) ratio() float64 { return e.nearNS / e.farNS }

const (
	placementLeast = 1.02 // ratio that matters; as of two classes of launches
	placementError = 0.01 // probability of a statement if places do nothing
)

// placementWindows are distances, in bytes, up to which an array lies near behind another one. A load waits for an
// earlier store whose address has the same low bits, and loads run ahead of stores by some hundred bytes.
var placementWindows = [...]int64{256, 512, 1024, 2048}

// effectOfPlacement finds the pair of arrays whose distance within a page tells best which launches are slow: those in
// which the one begins shortly behind the other. It returns false if no pair tells it, by the Mann-Whitney test, with a
// probability of error that is divided among all pairs and distances that are tried.
func effectOfPlacement(launches []placed) (best placementEffect, found bool) {
	if len(launches) == 0 {
		return best, false
	}
	arrays := len(launches[0].offsets)
	if slices.ContainsFunc(launches, func(l placed) bool { return len(l.offsets) != arrays }) {
		return best, false
	}
	least := placementError / float64(max(1, arrays*(arrays-1)*len(placementWindows)))
	for of := range arrays {
		for to := range arrays {
			for _, within := range placementWindows {
				e, p := effectWithin(launches, placementEffect{of: of, to: to, within: within})
				if of != to && e.ratio() >= placementLeast && (p < least || found && p == least && e.ratio() > best.ratio()) {
					best, least, found = e, p, true
				}
			}
		}
	}
	return best, found
}

// effectWithin fills in the effect of a pair and a distance, and returns how probable it is if places do nothing.
func effectWithin(launches []placed, e placementEffect) (placementEffect, float64) {
	var near, far []float64
	for _, l := range launches {
		distance := (l.offsets[e.of] - l.offsets[e.to] + invocations.PlacementPage) % invocations.PlacementPage
		if distance < e.within {
			near = append(near, l.ns)
		} else {
			far = append(far, l.ns)
		}
	}
	e.near, e.far = len(near), len(far)
	if e.near == 0 || e.far == 0 {
		return e, 1
	}
	e.nearNS, e.farNS = stats.Median(near), stats.Median(far)
	return e, stats.MannWhitney(near, far) / 2 // only slower launches count
}

// placementNote says what the places of arrays do to the time, "" if nothing is known. There is a median for each launch;
// clock says by which clock they are, with a blank before it.
func placementNote(kept []invocations.Result, medians []float64, clock string) string {
	if len(medians) != len(kept) {
		return ""
	}
	launches := make([]placed, len(kept))
	for i, one := range kept {
		launches[i].ns = medians[i]
		for _, p := range one.Places {
			launches[i].offsets = append(launches[i].offsets, p.Offset)
		}
	}
	e, found := effectOfPlacement(launches)
	if !found {
		return ""
	}
	of, to := kept[0].Places[e.of].Name, kept[0].Places[e.to].Name
	return fmt.Sprintf("its time depends on how far %s begins behind %s: %s%s in %d launches with less than %d bytes "+
		"(modulo %d), %s in the %d others, a factor of %.3g", of, to, figures.Time(e.nearNS), clock, e.near, e.within,
		invocations.PlacementPage, figures.Time(e.farNS), e.far, e.ratio())
}

// arraysOf returns where arrays began in each launch; nil if a launch has other arrays than the first one.
func arraysOf(kept []invocations.Result) (list []invocations.ArrayOffsets) {
	for i, one := range kept {
		if i > 0 && len(one.Places) != len(list) {
			return nil
		}
		for k, p := range one.Places {
			if i == 0 {
				list = append(list, invocations.ArrayOffsets{Name: p.Name})
			}
			if list[k].Name != p.Name {
				return nil
			}
			list[k].Offsets = append(list[k].Offsets, p.Offset)
		}
	}
	return list
}

// joinArrays puts the places of further launches behind others; nil if the arrays are not the same.
func joinArrays(list, more []invocations.ArrayOffsets) []invocations.ArrayOffsets {
	same := func(a, b invocations.ArrayOffsets) bool { return a.Name == b.Name }
	if !slices.EqualFunc(list, more, same) {
		return nil
	}
	joined := slices.Clone(list)
	for k := range joined {
		joined[k].Offsets = slices.Concat(joined[k].Offsets, more[k].Offsets)
	}
	return joined
}
