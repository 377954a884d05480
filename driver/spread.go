package driver

import (
	"fmt"
	"slices"

	"zonemark/driver/combine"
	"zonemark/driver/machine"
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
	parts := s.parts[position]
	return parts != nil && parts[host] != nil
}

// ahead reports whether a host should wait for slower ones.
func (s *spreading) ahead(host int) bool {
	return len(s.parts) > aheadMost && s.count[host] > slices.Min(s.count)
}

// without returns the error of a run whose host is gone; nil if others do its work, or if the run was interrupted.
func (s *spreading) without(h *Host, interrupted error) error {
	if s == nil || interrupted != nil {
		return nil
	}
	return fmt.Errorf("host %s is gone, and --spread measures on all hosts; continue when it is back, or leave out its "+
		"--via", h.Name)
}

// deliver takes what the host of a run has measured. The last host's result completes the record.
func (s *spreading) deliver(r *run, position int, result *invocations.Result) error {
	if s.parts[position] == nil {
		s.parts[position] = make([]*invocations.Result, len(s.hosts))
	}
	s.count[r.number]++
	if r.Part != nil {
		r.Part(r.number, position, r.record(position, *result))
	}
	// it waits for the others, and is a share of what all keep
	s.parts[position][r.number] = combine.ShareOf(result, r.plan.At(position).Invocation.Measure, len(s.hosts))
	r.report(Progress{Name: r.plan.At(position).Invocation.Name})
	if slices.Contains(s.parts[position], nil) {
		return nil
	}
	parts := s.parts[position]
	delete(s.parts, position)
	record := invocations.NewRecord(r.plan.At(position).Invocation, combine.Hosts(s.names(), parts))
	for h, part := range parts {
		record.AddHost(s.hosts[h].Name, machine.Fingerprint(s.hosts[h].Environment), part)
	}
	return r.keep(position, &record)
}
