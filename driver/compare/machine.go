package compare

import "fmt"

// machineKeys are the entries of a journal's fingerprint that two runs must share for their times to be comparable, in
// the order of their weight.
var machineKeys = []struct{ key, name string }{
	{"cpu", "processor"}, {"arch", "architecture"}, {"cpus", "CPUs"}, {"caches", "caches"}, {"host", "host"},
	{"os", "system"}, {"kernel", "kernel"}, {"governor", "governor"}, {"turbo", "turbo"}, {"smt", "SMT"},
	{"aslr", "address layout"}, {"transparent_hugepages", "huge pages"}, {"clocksource", "clock source"},
}

// Machines returns what differs between the machines of two sets, in words; nothing if a set does not say.
func Machines(before, after *Set) []string {
	if before.Environment == nil || after.Environment == nil {
		return nil
	}
	var differ []string
	for _, k := range machineKeys {
		if was, is := before.Environment[k.key], after.Environment[k.key]; was != is {
			differ = append(differ, fmt.Sprintf("%s: %s before, %s now", k.name, orNone(was), orNone(is)))
		}
	}
	return differ
}

func orNone(text string) string {
	if text == "" {
		return "not known"
	}
	return text
}
