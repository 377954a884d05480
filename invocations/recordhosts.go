package invocations

import (
	"cmp"
	"slices"
	"strings"

	"zonemark/invocations/stats"
)

// RecordedHosts are the keys of a journal's result line that tell which host has measured, or what several have, each of
// them all launches (--spread).
type RecordedHosts struct {
	// Host is the name of the host that measured it, if it was not the machine of the driver.
	Host string `json:"host,omitempty"`
	// Machine identifies that host: its name, processor, caches, kernel and settings. The part after the name is equal for
	// hosts whose results may be compared.
	Machine string `json:"machine,omitempty"`
	// Hosts are the results of each host, if each invocation was measured on all hosts. Launches and samples of the
	// result are then those of all hosts, and a second run on any of them lies in its interval. Launch N of host H, both
	// from 0, has the number N times the number of hosts, plus H.
	Hosts []HostRecord `json:"hosts,omitempty"`
	// BetweenHostsNS is the standard deviation of the hosts beyond that of their launches.
	BetweenHostsNS *float64 `json:"between_hosts_ns,omitempty"`
}

// HostRecord is the JSON shape of what one of several hosts has measured.
type HostRecord struct {
	// Host is the name of the host.
	Host string `json:"host"`
	// Machine identifies the host, as the key of the result does.
	Machine string `json:"machine,omitempty"`
	// Status tells how it ended there.
	Status Status `json:"status"`
	// Error is the reason of every status but ok.
	Error string `json:"error,omitempty"`
	// Verdicts say how far the times of this host can be trusted.
	Verdicts []Verdict `json:"verdict,omitempty"`
	// Launches is the number of its launches that kept samples.
	Launches *int `json:"launches,omitempty"`
	// MedianNS is its median.
	MedianNS *float64 `json:"median_ns,omitempty"`
	// CILowNS begins the interval in which the median of a second run on this host lies with 95 % confidence.
	CILowNS *float64 `json:"ci_low_ns,omitempty"`
	// CIHighNS ends that interval.
	CIHighNS *float64 `json:"ci_high_ns,omitempty"`
	// BetweenNS is the standard deviation of its launches beyond the error of each.
	BetweenNS *float64 `json:"between_ns,omitempty"`
}

// AddHost adds what a host has measured. machine identifies the host.
func (r *Record) AddHost(host, machine string, res *Result) {
	h := HostRecord{Host: host, Machine: machine, Status: res.Status, Error: res.Error, Verdicts: res.Verdicts}
	if len(res.SamplesNS) > 0 {
		s := res.Summary
		h.MedianNS = Recorded(s.MedianNS)
		if res.Spread == nil || res.Spread.hasInterval() {
			h.CILowNS, h.CIHighNS = Recorded(s.CILowNS), Recorded(s.CIHighNS)
		}
	}
	if s := res.Spread; s != nil {
		h.Launches, h.BetweenNS = &s.Launches, Recorded(s.BetweenNS)
	}
	r.Hosts = append(r.Hosts, h)
}

// HostNames returns the names of the hosts that measured it, separated by blanks; empty if this machine did.
func (r *Record) HostNames() string {
	if len(r.Hosts) == 0 {
		return r.Host
	}
	var names []string
	for _, h := range r.Hosts {
		names = append(names, h.Host)
	}
	return strings.Join(names, " ")
}

// SlowestHost returns the host with the longest median, and how much longer that is than the median of the result, as a
// fraction. It reports false if not all of several hosts have a time.
func (r *Record) SlowestHost() (h HostRecord, longer float64, known bool) {
	untimed := func(h HostRecord) bool { return h.MedianNS == nil }
	if len(r.Hosts) < 2 || slices.ContainsFunc(r.Hosts, untimed) || r.MedianNS == nil || !(*r.MedianNS > 0) {
		return HostRecord{}, 0, false
	}
	h = slices.MaxFunc(r.Hosts, func(a, b HostRecord) int { return cmp.Compare(*a.MedianNS, *b.MedianNS) })
	return h, *h.MedianNS / *r.MedianNS - 1, true
}

// Interval returns the host's median with its interval; it is not known if the host has no time. Its ends are NaN if they
// are not known.
func (h *HostRecord) Interval() stats.Interval { return interval(h.MedianNS, h.CILowNS, h.CIHighNS) }
