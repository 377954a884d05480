package trainingpage

import (
	"bytes"
	"flag"
	"math"
	"os"
	"strings"
	"testing"

	"zonemark/driver/report/drawing"
)

var update = flag.Bool("update", false, "write the expected page anew")

// page is a training of two pipelines in three batches.
func page() Page {
	training, validation := make([]float64, 96), make([]float64, 96)
	for i := range training {
		batch := float64(i / 32)
		training[i] = 60*math.Exp(-float64(i)/20) + 3 + 8*batch*math.Exp(-float64(i%32)/8)
		validation[i] = math.NaN()
		if i >= 32 {
			validation[i] = training[i]*1.4 + 1
		}
	}
	first := Pipeline{Name: "gaussian5x5", RankCorrelation: 0.91, BestMS: []float64{0.77, 0.61, 0.47}}
	second := Pipeline{Name: "sobel <1024>", RankCorrelation: math.NaN(), BestMS: []float64{1.2}}
	for i := range 60 {
		measured := 0.47 * math.Exp(0.04*float64(i))
		first.MeasuredMS = append(first.MeasuredMS, measured)
		first.PredictedMS = append(first.PredictedMS, measured*math.Exp(0.5*math.Sin(7*float64(i))))
	}
	second.MeasuredMS, second.PredictedMS = []float64{1.2, 1.4, 3}, []float64{1.3, 0, 2.2}
	return Page{
		Card: drawing.Card{Title: "Tuned: gaussian5x5, sobel", Headline: "gaussian5x5: 470 µs",
			Facts:    []drawing.Fact{{Name: "samples", Text: "63 schedules in 3 batches"}, {Name: "weights", Text: "out/tuned.weights"}},
			Warnings: []string{"1 damaged sample was left out: batch_2/0004.sample"}},
		Losses:    []drawing.Curve{{Name: "training", Values: training}, {Name: "validation", Values: validation}},
		Pipelines: []Pipeline{first, second},
	}
}

func TestWrite(t *testing.T) {
	var out bytes.Buffer
	if err := Write(&out, page()); err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/page.html"
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("the page changed; \"go test -update\" writes %s anew", golden)
	}
	text := out.String()
	for _, expected := range []string{"Learning curve", "sobel &lt;1024&gt;", "1 predicted as zero cannot be drawn",
		`<td class="right">0.910</td>`, "batch_2/0004.sample"} {
		if !strings.Contains(text, expected) {
			t.Errorf("no %s", expected)
		}
	}
	for _, refused := range []string{"<script", "http:", "https:", "src=", "NaN", "Inf", "ZgotmplZ"} {
		if strings.Contains(text, refused) {
			t.Errorf("the page has %s", refused)
		}
	}
}

func TestWriteOfLittle(t *testing.T) {
	var out bytes.Buffer
	for _, p := range []Page{{}, {Losses: []drawing.Curve{{Values: []float64{math.NaN()}}}}, {Pipelines: []Pipeline{
		{MeasuredMS: []float64{2}, PredictedMS: []float64{2}, BestMS: []float64{2}}, {}}}} {
		if err := Write(&out, p); err != nil {
			t.Error(err)
		}
	}
	if strings.Contains(out.String(), "NaN") {
		t.Errorf("a coordinate is no number:\n%s", out.String())
	}
	err := Write(&out, Page{Pipelines: []Pipeline{{Name: "p", MeasuredMS: []float64{1}}}})
	if err == nil || !strings.Contains(err.Error(), "pipeline p: 1 measured times and 0 predicted ones") {
		t.Errorf("%v", err)
	}
}
