package invocations

import "zonemark/driver/stats"

const (
	crashFields     = 4
	discardedFields = 2
	summaryFields   = 10
	dispatchFields  = 10

	canaryFields = 11
	countFields  = 3

	dispatchBytes = 1 + dispatchFields // least encoded size
	countBytes    = 1 + countFields
)

func (m *Result) layout(w wire) {
	outer := w.message(KindResult, 41)
	w.id(&m.ID)
	w.int(&m.Round)
	w.int(&m.Rounds)
	w.word((*string)(&m.Status))
	w.text(&m.Error)
	if w.present(m.Crash != nil) {
		if m.Crash == nil {
			m.Crash = new(Crash)
		}
		layoutCrash(w, m.Crash)
	}
	list(w, "Result.Verdicts", 1, &m.Verdicts, func(w wire, v *Verdict) { w.word((*string)(v)) })
	texts(w, "Result.Notes", &m.Notes)
	w.word((*string)(&m.Mode))
	w.word(&m.Stop)
	w.int64(&m.Iterations)
	w.int64(&m.CallsPerBatch)
	w.int(&m.Sets)
	w.int64(&m.SetBytes)
	w.int64(&m.WarmupCalls)
	w.float64(&m.OverheadNS)
	w.word(&m.Clock)
	w.timings(&m.SamplesNS)
	w.timings(&m.CPUSamplesNS)
	layoutDiscarded(w, &m.Discarded)
	layoutSummary(w, &m.Summary)
	list(w, "Result.Dispatches", dispatchBytes, &m.Dispatches, layoutDispatch)
	w.float64(&m.HostNS)
	w.float64(&m.GapNS)
	w.float64(&m.TraceOverheadPercent)
	words(w, "Result.Layers", &m.Layers)
	w.word(&m.DispatchSource)
	w.float64(&m.TracedNS)
	w.float64(&m.UnexplainedNS)
	w.float64(&m.TraceOverheadNS)
	w.int64(&m.SimulatedCycles)
	w.float64(&m.FLOP)
	w.float64(&m.Bytes)
	w.timings(&m.RoundsNS)
	w.textMap("Result.Properties", &m.Properties)
	w.timings(&m.CyclesSamples)
	w.flag(&m.CyclesCounted)
	list(w, "Result.Counters", countBytes, &m.Counters, layoutCount)
	layoutCanary(w, &m.Canary)
	w.float64(&m.PlannedNS)
	w.close(outer)
}

func layoutCanary(w wire, c *Canary) {
	outer := w.open("Canary", canaryFields)
	w.int64(&c.Batches)
	w.int64(&c.Quiet)
	w.int64(&c.Core)
	w.int64(&c.Slow)
	w.int64(&c.Interrupted)
	w.float64(&c.Ports)
	w.float64(&c.KeptPorts)
	w.float64(&c.GHz)
	w.text(&c.Why)
	w.int64(&c.Caches)
	w.float64(&c.Memory)
	w.close(outer)
}

func layoutCount(w wire, c *Count) {
	outer := w.open("Count", countFields)
	w.word(&c.Name)
	w.float64(&c.PerCall)
	w.flag(&c.Exact)
	w.close(outer)
}

func layoutCrash(w wire, c *Crash) {
	outer := w.open("Crash", crashFields)
	w.word(&c.Signal)
	w.int(&c.ExitCode)
	w.word(&c.Phase)
	texts(w, "Crash.Stderr", &c.Stderr)
	w.close(outer)
}

func layoutDiscarded(w wire, d *Discarded) {
	outer := w.open("Discarded", discardedFields)
	w.int64(&d.Switched)
	w.int64(&d.Warmup)
	w.close(outer)
}

func layoutSummary(w wire, s *stats.Summary) {
	outer := w.open("Summary", summaryFields)
	w.int(&s.N)
	w.float64(&s.MedianNS)
	w.float64(&s.CILowNS)
	w.float64(&s.CIHighNS)
	w.float64(&s.MinNS)
	w.float64(&s.P90NS)
	w.float64(&s.P99NS)
	w.float64(&s.MeanNS)
	w.float64(&s.MADNS)
	w.float64(&s.CPUMedianNS)
	w.close(outer)
}

func layoutDispatch(w wire, d *Dispatch) {
	outer := w.open("Dispatch", dispatchFields)
	w.text(&d.Name)
	w.int(&d.Ordinal)
	w.int64(&d.Count)
	w.float64(&d.MedianNS)
	w.float64(&d.MinNS)
	w.float64(&d.TotalNS)
	w.int(&d.Workgroups)
	w.int(&d.Threads)
	w.text(&d.SourceFile)
	w.int(&d.SourceLine)
	w.close(outer)
}
