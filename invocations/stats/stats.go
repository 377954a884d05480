// Package stats holds the statistics of measured times: summaries of samples, intervals of launches, and tests that say
// whether one variant differs from another, by how much, and how small a difference would have been found.
//
// Its functions are pure, and random ones are seeded. The package imports nothing of zonemark, so that every package
// may use it; it knows nothing of invocations, journals or files. All it assumes about a time is that it is positive. A
// time that is not (an overhead larger than the call leaves such times behind) takes no part where logarithms are
// needed.
//
// Distributions and the U test come from github.com/aclements/go-moremath, which benchstat uses too. Quantiles and the
// interval of the median are our own: moremath interpolates by method R8 of Hyndman and Fan and may shift its interval
// by a rank to one side, while the journal's figures are defined by method R7 and a symmetric interval.
package stats
