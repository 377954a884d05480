package hat

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"zonemark/executor/hat/declarations"
	"zonemark/executor/native"
	"zonemark/invocations"
)

// OptionInit names functions that are called once in each executor, before all others.
const OptionInit = "init"

// initFunction is a function that is called once, before all others.
type initFunction struct {
	name   string
	result invocations.ElementType // an integer type; empty if what it returns does not matter
	// relation and bound are what its result must obey: "==" and 0. relation is empty if nothing is asked for.
	relation string
	bound    int64
}

// initCondition is what may follow an entry of OptionInit.
var initCondition = regexp.MustCompile(`^(.*?)\s*(==|!=|>=|<=|>|<)\s*(-?[0-9]+)$`)

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z_0-9]*$`)

// parseInits reads the value of OptionInit: names or prototypes, separated by semicolons, each perhaps with a condition
// for what the function returns, such as "sodium_init >= 0".
func parseInits(text string) (list []initFunction, err error) {
	for entry := range strings.SplitSeq(text, ";") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		f, err := parseInit(entry)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

func parseInit(entry string) (f initFunction, err error) {
	declared := entry
	if m := initCondition.FindStringSubmatch(entry); m != nil {
		declared, f.relation = m[1], m[2]
		if f.bound, err = strconv.ParseInt(m[3], 10, 64); err != nil {
			return f, fmt.Errorf("--%s: %q: %w; write a number of 64 bits", OptionInit, entry, err)
		}
	}
	if identifier.MatchString(declared) {
		f.name, f.result = declared, invocations.Int32 // as such functions return
		return f, nil
	}
	read, err := declarations.ReadPrototypes("--"+OptionInit, declared)
	if err != nil {
		return f, err
	}
	d := &read[0]
	if len(read) > 1 || len(d.Parameters) > 0 {
		return f, fmt.Errorf("--%s: %q: such a function takes no parameters; write one that calls it with the right ones, "+
			"in a C file or as a constructor", OptionInit, entry)
	}
	f.name = d.Name
	t := parseCType(d.Result.Name, "")
	if d.Result.Pointers == 0 && t.element.Size() > 0 && !t.element.Float() {
		f.result = t.element
	}
	if f.relation != "" && f.result == "" {
		return f, fmt.Errorf("--%s: %q: the function returns no integer that %s %d could be asked of; leave it out",
			OptionInit, entry, f.relation, f.bound)
	}
	return f, nil
}

// call calls the function at an address. It returns an error if that does not return what is asked for.
func (f *initFunction) call(address uintptr) error {
	loop, err := native.NewLoop(native.MonotonicClock(), address, make([]native.Frame, 1))
	if err != nil {
		return err
	}
	defer loop.Close()
	if err := loop.RunChecked(1); err != nil || f.relation == "" {
		return err
	}
	word, _ := loop.Returned()
	value := returned{integer: word}.bytes(f.result)
	if got := integerOf(value, f.result); !f.holds(got) {
		return fmt.Errorf("it returned %d, and --%s asks for %s %d", got, OptionInit, f.relation, f.bound)
	}
	return nil
}

// holds reports whether a value is as it is asked for.
func (f *initFunction) holds(value int64) bool {
	order := cmp.Compare(value, f.bound)
	switch f.relation {
	case "==":
		return order == 0
	case "!=":
		return order != 0
	case ">=":
		return order >= 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order < 0
}

// callInits calls the functions that the option names.
func (p *program) callInits() error {
	for i := range p.inits {
		f := &p.inits[i]
		address, err := p.entry(f.name)
		if err != nil {
			return err
		}
		if err := f.call(address); err != nil {
			return fmt.Errorf("%s: set-up function %s: %w", p.pkg.Path, f.name, err)
		}
	}
	return nil
}
