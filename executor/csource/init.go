package csource

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"zonemark/executor/cfunction"
	"zonemark/executor/cfunction/declarations"
	"zonemark/invocations"
	"zonemark/invocations/lazyregexp"
)

// OptionInit names functions that are called once in each executor, before all others.
const OptionInit = "init"

// initCondition is what may follow an entry of OptionInit.
var initCondition = lazyregexp.New(`^(.*?)\s*(==|!=|>=|<=|>|<)\s*(-?[0-9]+)$`)

var identifier = lazyregexp.New(`^[A-Za-z_][A-Za-z_0-9]*$`)

// parseInits reads the value of OptionInit: names or prototypes, separated by semicolons, each perhaps with a condition
// for what the function returns, such as "sodium_init >= 0".
func parseInits(text string) (list []cfunction.InitFunction, err error) {
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

func parseInit(entry string) (f cfunction.InitFunction, err error) {
	declared := entry
	if m := initCondition().FindStringSubmatch(entry); m != nil {
		declared, f.Relation = m[1], m[2]
		if f.Bound, err = strconv.ParseInt(m[3], 10, 64); err != nil {
			return f, fmt.Errorf("%s: %q: %w; write a number of 64 bits", OptionInit, entry, err)
		}
	}
	if identifier().MatchString(declared) {
		f.Name, f.Result = declared, invocations.Int32 // as such functions return
		return f, nil
	}
	read, err := declarations.ReadPrototypes(OptionInit, declared, declarations.Names{})
	if err != nil {
		return f, err
	}
	d := &read[0]
	if len(read) > 1 || len(d.Parameters) > 0 {
		return f, fmt.Errorf("%s: %q: a function that sets up takes no parameters; write one that calls it with the right arguments, "+
			"in a C file or as a constructor", OptionInit, entry)
	}
	f.Name = d.Name
	if t, _ := declarations.Element(d.Result.Name, runtime.GOOS); d.Result.Pointers == 0 && t.Size() > 0 && !t.Float() {
		f.Result = t
	}
	if f.Relation != "" && f.Result == "" {
		return f, fmt.Errorf("%s: %q: the function returns no integer to compare by %s %d; leave the condition out",
			OptionInit, entry, f.Relation, f.Bound)
	}
	return f, nil
}
