package adams2019

import (
	"math/rand/v2"
)

// made returns samples of made-up pipelines: features and run times as they may occur, the same for the same seed.
// Pipelines have the ids 1000, 1001, …; every pipeline has its own stages.
func made(seed uint64, pipelines, schedules, stages int) []Sample {
	r := rand.New(rand.NewPCG(seed, 1))
	var samples []Sample
	for p := range pipelines {
		algorithm := make(Features, stages)
		for i := range algorithm {
			for range 12 {
				algorithm[i].Pipeline[r.IntN(PipelineFeatures)] = float32(1 + r.IntN(9))
			}
		}
		for s := range schedules {
			features := append(Features(nil), algorithm...)
			for i := range features {
				features[i].Schedule = madeSchedule(r)
			}
			samples = append(samples, Sample{Features: features, RuntimeMS: float32(0.2 + r.ExpFloat64()),
				PipelineID: int32(1000 + p), ScheduleID: int32(s)})
		}
	}
	return samples
}

func madeSchedule(r *rand.Rand) (f [ScheduleFeatures]float32) {
	power := func(least, most int) float32 { return float32(int(1) << (least + r.IntN(most-least+1))) }
	for i := range f {
		f[i] = power(0, 14)
	}
	f[numRealizations], f[numProductions] = power(0, 8), power(0, 8)
	f[innerParallelism], f[outerParallelism] = power(0, 4), float32(1+r.IntN(3))
	f[vectorSize], f[numVectors], f[numScalars] = 16, power(4, 14), power(0, 6)
	for _, i := range []int{scalarLoadsPerVector, vectorLoadsPerVector, scalarLoadsPerScalar, inlinedCalls} {
		f[i] = float32(r.IntN(4))
	}
	for range 8 { // many features of a stage are zero
		f[[]int{2, 3, 7, 8, 20, 35, 36, 37, 38, workingSet, bytesAtTask}[r.IntN(11)]] = 0
	}
	return f
}

// startingWeights returns small weights of both signs, the same each time.
func startingWeights() *Weights {
	r := rand.New(rand.NewPCG(7, 7))
	w := new(Weights)
	for _, b := range w.buffers() {
		for _, row := range b.rows {
			for i := range row {
				row[i] = r.Float32() - 0.4
			}
		}
	}
	return w
}
