package suite

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/big"
	"strings"

	"zonemark/invocations"
)

// axis is one dimension of an entry: a key with a list of values.
type axis struct {
	path   keyPath
	label  string // for people: "invocation.axes.M"
	line   int
	table  string // what the axis sets: a parameter (tableParameters), or, if empty, the field of its name
	name   string
	key    *Key // row of the field; nil for a parameter
	values values
}

// values are those of an axis: string, int64, float64 or bool; at least one. Those of a range of integers are not
// listed: there may be a million, which the collector would have to look at again and again.
type values struct {
	list        []any // nil: first, first + step, …
	first, step int64
	count       int
}

func listOf(list []any) values { return values{list: list, count: len(list)} }

func (v values) at(i int) any {
	if v.list == nil {
		return v.first + int64(i)*v.step
	}
	return v.list[i]
}

// at returns the setting of the i-th value.
func (a axis) at(i int) setting {
	return setting{path: a.path, label: a.label, line: a.line, table: a.table, name: a.name, key: a.key,
		value: a.values.at(i)}
}

// texts iterates over the values as texts.
func (a axis) texts() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range a.values.count {
			if text, _ := scalarText(a.values.at(i)); !yield(text) { // checked when the axis was read
				return
			}
		}
	}
}

// listed returns the first values for people.
func (a axis) listed() string {
	const most = 8
	var list []string
	for text := range a.texts() {
		if len(list) == most {
			return strings.Join(list, ", ") + ", …"
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

func (e entry) axisNames() []string {
	names := make([]string, len(e.axes))
	for i, a := range e.axes {
		names[i] = a.name
	}
	return names
}

// axes reads the table of axes of an entry. It makes the values only after it has checked that their number is within
// the limit.
func (p *parser) axes(t table) ([]axis, error) {
	inner, err := p.sub(t, tableAxes)
	if err != nil {
		return nil, err
	}
	if len(inner.values) == 0 {
		return nil, p.fail(inner.path, inner.name,
			errors.New("has no axes: write at least one, M = [16, 32], or remove the table"))
	}
	var list []axis
	var makers []func() values
	var counts []float64
	for _, key := range p.keysOf(inner) {
		path, label := inner.child(key)
		a := axis{path: path, label: label, line: p.lines.line(path), name: key}
		if err := checkAxisName(key); err != nil {
			return nil, p.fail(path, label, err)
		}
		if a.key = p.keys.find("", key); a.key == nil {
			a.table = tableParameters
		} else if a.key.NoAxis != "" {
			return nil, p.fail(path, label, errors.New(a.key.NoAxis))
		}
		count, values, err := p.axisValues(inner, key)
		if err != nil {
			return nil, err
		}
		list, makers, counts = append(list, a), append(makers, values), append(counts, count)
	}
	if err := p.withinLimit(list, counts, p.limit); err != nil {
		return nil, p.fail(inner.path, inner.name, err)
	}
	for i := range list {
		list[i].values = makers[i]()
		if err := p.checkValues(list[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// checkAxisName returns an error for a name that no axis can have.
func checkAxisName(name string) error {
	switch name {
	case tableParameters, tableArguments, tableVerify, tableAxes, tableExclude:
		return errors.New("is a table of the entry and cannot be an axis: choose another name")
	case "":
		return errNoName
	}
	if strings.ContainsAny(name, "{}") {
		return errors.New("a brace cannot stand in the name of an axis: choose another name")
	}
	return nil
}

// checkValues tries every value of the axis and returns an error if one appears twice.
func (p *parser) checkValues(a axis) error {
	seen := map[string]bool{}
	for i := range a.values.count {
		text, err := scalarText(a.values.at(i))
		if err == nil {
			err = a.at(i).apply(&invocations.Invocation{}, "")
		}
		if err == nil && seen[text] {
			err = fmt.Errorf("the value %s appears twice; remove one", text)
		}
		if err != nil {
			return p.fail(a.path.index(i), a.label, err)
		}
		if a.values.list != nil { // those of a range differ
			seen[text] = true
		}
	}
	return nil
}

// withinLimit returns an error with the sizes of the axes if their product is more than limit.
func (p *parser) withinLimit(axes []axis, counts []float64, limit int) error {
	product := 1.0
	var factors []string
	for i, a := range axes {
		product *= counts[i]
		factors = append(factors, fmt.Sprintf("%s (%.0f)", a.name, counts[i]))
	}
	if product <= float64(limit) {
		return nil
	}
	return fmt.Errorf("%s multiply to %.0f invocations, the limit is %d: use fewer values or split the suite",
		strings.Join(factors, " × "), product, limit)
}

// spend subtracts the points of an entry, before excludes, from those that the suite may still have.
func (p *parser) spend(e entry) error {
	counts := make([]float64, len(e.axes))
	points := 1.0
	for i, a := range e.axes {
		counts[i] = float64(a.values.count)
		points *= counts[i]
	}
	err := p.withinLimit(e.axes, counts, p.limit)
	if err == nil && points > float64(p.points) {
		err = fmt.Errorf("brings the suite to more than %d invocations: use fewer values or split the suite", p.limit)
	}
	if err != nil {
		return &Error{File: p.file, Line: e.line, Key: "invocation", Err: err}
	}
	p.points -= int(points)
	return nil
}

// axisValues reads a list or a range. made makes the values, of which there are about count.
func (p *parser) axisValues(t table, key string) (count float64, made func() values, err error) {
	path, label := t.child(key)
	switch v := t.values[key].(type) {
	case []any:
		if len(v) == 0 {
			return 0, nil, p.fail(path, label, errors.New("has no values: list at least one or remove the axis"))
		}
		return float64(len(v)), func() values { return listOf(v) }, nil
	case map[string]any:
		r, err := p.valueRange(table{path, label, v})
		return r.count(), r.values, err
	default:
		err = fmt.Errorf("is %s; want a list, [16, 32], or a range, { from = 16, to = 64, step = 16 }", kindOf(v))
		return 0, nil, p.fail(path, label, err)
	}
}

// valueRange is a range with both ends included: from + i·by or, if it is geometric, from · byⁱ.
type valueRange struct {
	from, to, by float64
	geometric    bool

	integers            bool // all three are integers, which are stored here exactly
	first, last, factor int64
}

// valueRange reads { from, to, step } or { from, to, times }.
func (p *parser) valueRange(t table) (valueRange, error) {
	r := valueRange{integers: true}
	_, r.geometric = t.values["times"]
	_, stepped := t.values["step"]
	if r.geometric == stepped {
		return r, p.fail(t.path, t.name,
			errors.New("a range wants either step = … or times = …, such as { from = 16, to = 64, step = 16 }"))
	}
	targets := map[string]struct {
		number  *float64
		integer *int64
	}{"from": {&r.from, &r.first}, "to": {&r.to, &r.last}, "step": {&r.by, &r.factor}, "times": {&r.by, &r.factor}}
	for _, key := range p.keysOf(t) {
		path, label := t.child(key)
		target, known := targets[key]
		if !known {
			return r, p.fail(path, label, unknownKey(key, []string{"from", "to", "step", "times"}))
		}
		switch n := t.values[key].(type) {
		case int64:
			*target.number, *target.integer = float64(n), n
		case float64:
			*target.number, r.integers = n, false
			if math.IsNaN(n) || math.IsInf(n, 0) {
				return r, p.fail(path, label, fmt.Errorf("%v is not finite: write a number", n))
			}
		default:
			return r, p.fail(path, label, fmt.Errorf("is %s; want a number", kindOf(n)))
		}
	}
	for _, key := range []string{"from", "to"} {
		if _, found := t.values[key]; !found {
			return r, p.fail(t.path, t.name, fmt.Errorf("the range lacks %s = …", key))
		}
	}
	if err := r.check(); err != nil {
		return r, p.fail(t.path, t.name, err)
	}
	return r, nil
}

func (r valueRange) check() error {
	switch {
	case !r.geometric && r.by <= 0:
		return fmt.Errorf("the step %v is not positive: ranges run upwards", r.by)
	case r.geometric && r.by <= 1:
		return fmt.Errorf("times = %v does not grow: write a factor above 1", r.by)
	case r.geometric && r.from <= 0:
		return fmt.Errorf("from = %v cannot be multiplied upwards: begin above 0", r.from)
	case r.integers && r.last < r.first || r.to < r.from:
		return fmt.Errorf("from = %v is above to = %v: ranges run upwards, so exchange the two", r.from, r.to)
	}
	return nil
}

// count returns the number of values. For ranges that are not of integers, it may be wrong by one.
func (r valueRange) count() float64 {
	switch {
	case r.by <= 0 || r.geometric && r.by <= 1:
		return 0 // check returns an error for it
	case r.geometric:
		return math.Floor((math.Log(r.to)-math.Log(r.from))/math.Log(r.by)+1e-9) + 1
	case r.integers:
		// The distance fits into 64 unsigned bits.
		return float64((uint64(r.last)-uint64(r.first))/uint64(r.factor)) + 1
	}
	return math.Floor((r.to-r.from)/r.by+1e-9) + 1
}

func (r valueRange) values() values {
	switch {
	case r.integers && r.geometric:
		return listOf(r.powers())
	case r.integers:
		return values{first: r.first, step: r.factor, count: int(r.count())}
	}
	// The ends and the step are taken as the decimal numbers that people wrote, so that 0.1 + 2·0.1 is 0.3 and the last
	// value is exact. 53 bits are not enough for that, and 256 bits, rounded once for each value, are.
	const precision = 256
	decimal := func(x float64) *big.Float {
		// A number that was just printed can be parsed.
		f, _, _ := big.ParseFloat(fmt.Sprint(x), 10, precision, big.ToNearestEven)
		return f
	}
	from, by := decimal(r.from), decimal(r.by)
	value, scaled := decimal(r.from), new(big.Float).SetPrec(precision)
	var list []any
	for i := int64(1); ; i++ {
		x, _ := value.Float64()
		if x > r.to || math.IsInf(x, 0) {
			return listOf(list)
		}
		list = append(list, x)
		if r.geometric {
			value.Mul(value, by)
		} else {
			value.Add(from, scaled.Mul(by, scaled.SetInt64(i)))
		}
	}
}

// powers returns the integers from · byⁱ.
func (r valueRange) powers() (list []any) {
	for x := r.first; ; x *= r.factor {
		list = append(list, x)
		if x > r.last/r.factor {
			return list
		}
	}
}
