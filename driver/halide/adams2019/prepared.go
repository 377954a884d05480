package adams2019

// prepared is a pipeline in the form in which the network reads it: all that does not depend on weights is computed.
type prepared struct {
	stages   int
	used     []usedFeature // the pipeline features that are not zero in all stages
	pipeline [][]float64   // of each stage, the used features

	// A row is a stage of a schedule. The stages of a schedule follow each other.
	x     []float64               // ScheduleFeatures for each row: logarithms of the features
	terms [][coefficients]float64 // of each row: what the coefficients are multiplied with

	runtimes []float64 // of each schedule, in milliseconds
}

// usedFeature is the place of a pipeline feature.
type usedFeature struct{ typ, property int }

// prepare computes the rows of schedules of one pipeline. All of them have the pipeline features of the first.
func prepare(schedules []Features, cores int) *prepared {
	first := schedules[0]
	p := &prepared{stages: len(first), pipeline: make([][]float64, len(first))}
	for t := range types {
		for property := range properties {
			for i := range first {
				if first[i].Pipeline[property*types+t] != 0 {
					p.used = append(p.used, usedFeature{t, property})
					break
				}
			}
		}
	}
	for i := range first {
		for _, u := range p.used {
			p.pipeline[i] = append(p.pipeline[i], float64(first[i].Pipeline[u.property*types+u.typ]))
		}
	}
	for _, features := range schedules {
		for stage := range features {
			schedule := &features[stage].Schedule
			p.terms = append(p.terms, costTerms(schedule, stage, cores))
			for _, v := range schedule {
				p.x = append(p.x, float64(fastLog(v+1)))
			}
		}
	}
	return p
}
