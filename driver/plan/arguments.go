package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// arguments returns the artifact's arguments, described, with the user's values filled in: the contents and, where the
// artifact leaves them open, type and shape. Each given argument has the name or the position of a described one, or no
// name: those without are for the inputs in turn that no other one is for. A value that contradicts the artifact is an
// error, and so is a second value for an argument. Without given arguments, it returns described itself, which the
// invocations of a plan share.
func arguments(given, described []invocations.Argument) ([]invocations.Argument, error) {
	if len(given) == 0 {
		return described, nil
	}
	places, err := argumentPlaces(given, described)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(described)
	for n, g := range given {
		i := places[n]
		a := &out[i]
		if err := agrees(&g, a); err != nil {
			return nil, &settingError{"arguments", g.Name,
				fmt.Errorf("argument %s: %w", argumentLabel(described, i), err)}
		}
		a.Contents = g.Contents
		if a.Element == "" {
			a.Element = g.Element
		}
		if g.Shape != nil && a.Shape == nil && invocations.OpenExtent(a.Extent) {
			a.Shape, a.Extent = g.Shape, ""
		}
	}
	return out, nil
}

// argumentPlaces returns the position of the described argument that each given one is for.
func argumentPlaces(given, described []invocations.Argument) ([]int, error) {
	places, taken := make([]int, len(given)), map[int]bool{}
	for n, g := range given {
		if g.Name == "" {
			continue
		}
		i, err := argumentPlace(g.Name, described)
		if err == nil && taken[i] {
			err = fmt.Errorf("argument %s is given twice; remove one", argumentLabel(described, i))
		}
		if err != nil {
			return nil, &settingError{"arguments", g.Name, err}
		}
		places[n], taken[i] = i, true
	}
	next := 0
	for n, g := range given {
		if g.Name != "" {
			continue
		}
		for next < len(described) && (taken[next] || described[next].Usage == invocations.Output) {
			next++
		}
		if next == len(described) {
			return nil, &settingError{"arguments", "", surplus(len(given), described)}
		}
		places[n] = next
		next++
	}
	return places, nil
}

// surplus returns the error for more inputs than there are.
func surplus(given int, described []invocations.Argument) error {
	list := inputs(described)
	if len(list) == 0 {
		return errors.New("an input is given, but it takes none")
	}
	return fmt.Errorf("%d inputs are given, but it takes %d: %s", given, len(list), argumentTypes(list))
}

// inputs returns the arguments that are given values, with their names or positions as names.
func inputs(described []invocations.Argument) (list []invocations.Argument) {
	for i, a := range described {
		if a.Name = argumentLabel(described, i); a.Usage != invocations.Output {
			list = append(list, a)
		}
	}
	return list
}

// argumentPlace finds an argument by its name, else by its position.
func argumentPlace(name string, described []invocations.Argument) (int, error) {
	named := func(a invocations.Argument) bool { return a.Name != "" && a.Name == name }
	if i := slices.IndexFunc(described, named); i >= 0 {
		return i, nil
	}
	n, err := strconv.Atoi(name)
	switch {
	case len(described) == 0:
		return 0, fmt.Errorf("argument %q is given, but it takes none", name)
	case err == nil && n >= 0 && n < len(described) && described[n].Usage != invocations.Output:
		return n, nil
	case err == nil && n >= 0:
		taken := inputs(described)
		if n < len(taken) { // there are results among the arguments
			return 0, fmt.Errorf("argument %d is a result, which nobody gives; it takes %s", n, argumentTypes(taken))
		}
		return 0, fmt.Errorf("input %d is given, but it takes %d: %s", n+1, len(taken), argumentTypes(taken))
	}
	taken := inputs(described)
	err = fmt.Errorf("it has no argument %q; name one or give its position: %s", name, argumentTypes(taken))
	if i := slices.IndexFunc(taken, func(a invocations.Argument) bool { return !a.ByValue && a.Name != "" }); i >= 0 {
		err = remedy.With(err, remedy.Remedy{Kind: remedy.Instead, Name: name, Value: taken[i].Name})
	}
	return 0, err
}

// agrees returns an error if the given type or shape contradicts that of the artifact's argument.
func agrees(given, described *invocations.Argument) error {
	wrongType := given.Element != "" && described.Element != "" && given.Element != described.Element
	wrongShape := false
	switch {
	case given.Shape == nil:
	case invocations.OpenExtent(described.Extent):
		wrongShape = !invocations.FitsExtent(described.Extent, given.Shape)
	case described.Extent == "":
		wrongShape = !slices.Equal(given.Shape, described.Shape)
	}
	if wrongType || wrongShape {
		wrong, right := invocations.TensorShape(given.Element, given.Shape), argumentType(described)
		err := fmt.Errorf("it is %s, not %s; correct the input", right, wrong)
		return remedy.With(err, remedy.Remedy{Kind: remedy.Instead, Name: wrong, Value: fitting(given, described)})
	}
	return nil
}

// fitting returns the type of an argument with the sizes that were given where its own are open.
func fitting(given, described *invocations.Argument) string {
	shape := described.Shape
	if invocations.OpenExtent(described.Extent) && described.Extent != invocations.AnyShape {
		for i, size := range strings.Split(described.Extent, "x") {
			n, err := strconv.ParseInt(size, 10, 64)
			if err != nil {
				n = 16
				if i < len(given.Shape) {
					n = given.Shape[i]
				}
			}
			shape = append(shape[:i:i], n)
		}
	} else if described.Extent != "" {
		shape = given.Shape
	}
	return invocations.TensorShape(cmp.Or(described.Element, given.Element), shape)
}

// argumentType returns a text such as "64x256xf32". Open extents are written as in the artifact.
func argumentType(a *invocations.Argument) string {
	if a.Extent != "" && a.Shape == nil {
		return a.Extent + "x" + invocations.TensorShape(a.Element, nil)
	}
	return invocations.TensorShape(a.Element, a.Shape)
}

// argumentTypes lists arguments with their types.
func argumentTypes(list []invocations.Argument) string {
	var types []string
	for i := range list {
		types = append(types, argumentLabel(list, i)+" "+argumentType(&list[i]))
	}
	return strings.Join(types, ", ")
}

// argumentLabel returns the name of an argument, or its position if it has no name.
func argumentLabel(list []invocations.Argument, i int) string {
	if list[i].Name != "" {
		return list[i].Name
	}
	return strconv.Itoa(i)
}
