// Package adams2019 holds the cost model of Halide's autoscheduler Adams2019: its files (features, samples, weights),
// its predictions, and its training. It is written for Halide 21.0.0 and trains as that package's program
// adams2019_retrain_cost_model does. It knows nothing of pipelines, compilers and measuring, and runs no program.
//
// The model is a small network. It looks at each stage of a pipeline and finds 32 coefficients, which are multiplied
// with terms that are computed from the schedule; the sum is the predicted run time. The sources of the layouts and
// formulas are Halide's Weights.cpp, Featurization.h, NetworkSize.h, cost_model_generator.cpp, DefaultCostModel.cpp and
// retrain_cost_model.cpp in src/autoschedulers/adams2019.
package adams2019

// The extents of the network (Halide's NetworkSize.h).
const (
	// ScheduleFeatures is the number of features of a stage that depend on the schedule.
	ScheduleFeatures = 39
	// TypeFeatures is the number of marks of the types that a stage uses, which the model ignores.
	TypeFeatures = 7
	// PipelineFeatures is the number of features of a stage that depend on the algorithm only: 40 properties, each
	// counted for 7 types.
	PipelineFeatures = properties * types

	properties   = 40
	types        = 7
	pipelineOut  = 8  // channels that embed the pipeline features (head 1)
	scheduleOut  = 24 // channels that embed the schedule features (head 2)
	coefficients = 32 // of the cost of a stage
)
