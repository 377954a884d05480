package adams2019_test

import (
	"context"
	"fmt"

	"zonemark/driver/halide/adams2019"
)

func ExamplePipelineID() {
	fmt.Println(adams2019.PipelineID("conv3x3", map[string]string{"accumulator": "16"}))
	// Output: 1095399023
}

// Samples of one pipeline with a stage whose number of vectors decides the run time.
func ExampleTrain() {
	var samples []adams2019.Sample
	for i := range 12 {
		var stage adams2019.Stage
		stage.Schedule[22], stage.Schedule[24] = 16, float32(1000*(i+1)) // vector size, number of vectors
		samples = append(samples, adams2019.Sample{Features: adams2019.Features{stage}, RuntimeMS: float32(i + 1),
			PipelineID: adams2019.PipelineID("example", nil), ScheduleID: int32(i)})
	}
	set, problems := adams2019.NewSet(samples)
	var start adams2019.Weights
	for i := range start.Conv1Bias {
		start.Conv1Bias[i] = 1
	}
	trained, err := adams2019.Train(context.Background(), &start, set, adams2019.Training{Epochs: 500,
		Rates: []float32{0.5, 0.05}, Cores: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	before, _ := adams2019.Evaluate(&start, set, 8)
	after, _ := adams2019.Evaluate(trained, set, 8)
	fmt.Println(len(problems), "problems")
	fmt.Println("better:", after[0].Loss < before[0].Loss/100)
	fmt.Printf("rank correlation %.2f\n", after[0].RankCorrelation)
	// Output:
	// 0 problems
	// better: true
	// rank correlation 1.00
}
