package adams2019

import "math"

// The schedule features that the cost is made of, by their place (ScheduleFeatures in Halide's Featurization.h).
const (
	numRealizations                       = 0
	numProductions                        = 1
	innerParallelism                      = 9
	outerParallelism                      = 10
	bytesAtRealization                    = 11
	bytesAtProduction                     = 12
	inlinedCalls                          = 17
	uniqueBytesReadPerRealization         = 18
	uniqueLinesReadPerRealization         = 19
	workingSet                            = 21
	vectorSize                            = 22
	numVectors                            = 24
	numScalars                            = 25
	scalarLoadsPerVector                  = 26
	vectorLoadsPerVector                  = 27
	scalarLoadsPerScalar                  = 28
	bytesAtTask                           = 29
	innermostBytesAtTask                  = 30
	uniqueBytesReadPerVector              = 31
	uniqueLinesReadPerVector              = 32
	uniqueBytesReadPerTask                = 33
	uniqueLinesReadPerTask                = 34
	pageBytes                     float64 = 4096
)

// costTerms returns what each coefficient of a stage is multiplied with, in milliseconds: the cost is their sum. stage
// is the place of the stage; cores is the number of cores of the machine. The terms are those of
// cost_model_generator.cpp. Stores count twice there, since they did when Halide's weights were made. Coefficients
// without a term are not used.
func costTerms(f *[ScheduleFeatures]float32, stage, cores int) (terms [coefficients]float64) {
	var x [ScheduleFeatures]float64
	for i, v := range f {
		x[i] = float64(v)
	}
	compute := 0
	if x[inlinedCalls] != 0 {
		compute = 2
	}
	tasks := max(1, x[innerParallelism]*x[outerParallelism])
	perCore := tasks / float64(cores)
	idle := math.Ceil(perCore) / max(1, perCore)
	terms[compute] = x[vectorSize] * x[numVectors] * idle
	terms[compute+1] = x[numScalars] * idle

	terms[5] = x[numRealizations] * x[uniqueLinesReadPerRealization]
	terms[6] = x[numRealizations] * x[uniqueBytesReadPerRealization]
	terms[7] = x[numVectors] * x[scalarLoadsPerVector]
	terms[8] = x[numScalars] * x[scalarLoadsPerScalar]
	terms[9] = x[numVectors] * x[vectorLoadsPerVector]
	terms[10] = x[numScalars] * x[uniqueBytesReadPerVector]
	terms[11] = x[numVectors] * x[uniqueBytesReadPerVector]
	terms[12] = x[numScalars] * x[uniqueLinesReadPerVector]
	terms[13] = x[numVectors] * x[uniqueLinesReadPerVector]
	terms[14] = tasks * x[uniqueBytesReadPerTask]
	terms[15] = tasks * x[uniqueLinesReadPerTask]

	inner, innermost := x[innerParallelism], max(1, x[innermostBytesAtTask])
	store := 2 // which of three coefficients stores have
	switch {
	case inner > 1:
		store = 0
	case stage == 0:
		store = 1
	}
	terms[16+store] = 2 * x[numRealizations] * inner * (x[bytesAtTask] / innermost)
	terms[19+store] = 2 * x[numRealizations] * x[bytesAtRealization]
	if inner > 1 {
		terms[22] = 2 * (x[numVectors] + x[numScalars]) / innermost
		terms[25] = x[numProductions]
	}
	terms[23] = 2 * x[bytesAtProduction] * min(inner, pageBytes/innermost) * inner * x[outerParallelism]
	terms[24] = x[numRealizations]
	terms[26] = x[numProductions] * (inner - 1)
	terms[27] = x[workingSet]
	for i := range terms {
		terms[i] *= 1e-9
	}
	return terms
}

// fastLog is Halide's fast_log (IROperator.cpp), an approximation of the natural logarithm of a normal number above
// zero. The network is trained with it; its error is up to about 1e-5, so math.Log is no replacement. Each product is
// rounded by a conversion, so that no platform fuses it with a sum.
func fastLog(x float32) float32 {
	const mantissa = 1<<23 - 1
	bits := math.Float32bits(x)
	half := bits >> 22 & 1 // 1 for mantissas from 1.5 on, which are halved: the result is between 0.75 and 1.5
	exponent := float32(int(bits>>23) - 127 + int(half))
	v := math.Float32frombits(bits&mantissa|(127-half)<<23) - 1
	square := float32(v * v)
	even := float32(0.07640318789187280912*square) + 0.20625219040645212387
	even = float32(even*square) + 0.33320464908377461777
	even = float32(even*square) + 1
	odd := float32(-0.16252961013874300811*square) - 0.25110261010892864775
	odd = float32(odd*square) - 0.49997513376789826101
	odd = float32(odd * square)
	return float32(even*v) + odd + float32(exponent*math.Ln2)
}
