package driver

import (
	"fmt"
	"slices"

	"zonemark/invocations"
)

// spreading collects what several hosts measure, each of them everything. Nil: each invocation is measured by one host.
type spreading struct {
	hosts []*Host
	parts map[int][]*invocations.Result // of each host, by position in the plan; nil: not yet
	count []int                         // of results that each host has delivered
}

// aheadMost is how many results may wait for slower hosts before a host waits for these as well.
const aheadMost = 256

func newSpreading(hosts []*Host) *spreading {
	return &spreading{hosts: hosts, parts: map[int][]*invocations.Result{}, count: make([]int, len(hosts))}
}

// names returns the names of the hosts.
func (s *spreading) names() (list []string) {
	for _, h := range s.hosts {
		list = append(list, h.Name)
	}
	return list
}

// has reports whether a host has measured the invocation at a position in the plan.
func (s *spreading) has(position, host int) bool {
	if s == nil {
		return false
	}
	parts := s.parts[position]
	return parts != nil && parts[host] != nil
}

// ahead reports whether a host should wait for slower ones.
func (s *spreading) ahead(host int) bool {
	return s != nil && len(s.parts) > aheadMost && s.count[host] > slices.Min(s.count)
}

// without returns the error of a run whose host is gone; nil if others do its work, or if the run was interrupted.
func (s *spreading) without(h *Host, interrupted error) error {
	if s == nil || interrupted != nil {
		return nil
	}
	return fmt.Errorf("host %s is gone, and --spread measures on all hosts; continue when it is back, or leave out its "+
		"--via", h.Name)
}

// add adds what a host has measured of the invocation at a position. It returns the results of all hosts when that was
// the last one; before, nil.
func (s *spreading) add(host, position int, part *invocations.Result) []*invocations.Result {
	parts := s.parts[position]
	if parts == nil {
		parts = make([]*invocations.Result, len(s.hosts))
		s.parts[position] = parts
	}
	s.count[host]++
	if parts[host] = part; slices.Contains(parts, nil) {
		return nil
	}
	delete(s.parts, position)
	return parts
}
