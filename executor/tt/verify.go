package tt

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"zonemark/executor/values"
	"zonemark/invocations"
)

// verify runs the program once and compares the results of every device with the expected ones, or the joined results
// of all if the program is split over them. It notes results that hold NaN.
func (p *program) verify(s *argumentSet, inv *invocations.Invocation, note func(string)) (mismatch string, err error) {
	if err := s.invoke(); err != nil {
		return "", err
	}
	if !s.pushing {
		defer func() { // nothing reads the results later, on the device or here
			s.downloads, s.results = nil, nil
			err = errors.Join(err, s.execution.FreeOutputs())
		}()
		if err := s.fetch(); err != nil {
			return "", err
		}
	}
	for _, results := range s.results {
		for i := range results {
			results[i].settle()
		}
	}
	results := s.results
	if p.signature.partitions > 1 {
		whole, differ := p.join(s.results, inv.Verify.Tolerance)
		if differ != "" {
			return differ, nil
		}
		results = [][]tensor{whole}
	}
	noteNaN(results[0], note)
	return p.compareAll(results, inv.Verify)
}

// compareAll compares the results of all devices with the expected ones.
func (p *program) compareAll(devices [][]tensor, v invocations.Verification) (mismatch string, err error) {
	differ := 0
	for device, results := range devices {
		text, err := p.compare(results, v, share{device, len(devices)})
		if err != nil {
			return "", err
		}
		if text == "" {
			continue
		}
		if differ++; differ == 1 && len(devices) > 1 {
			text = fmt.Sprintf("device %d: %s", device, text)
		}
		if mismatch == "" {
			mismatch = text
		}
	}
	if differ > 1 {
		mismatch = fmt.Sprintf("results of %d of %d devices differ; %s", differ, len(devices), mismatch)
	}
	return mismatch, nil
}

// compare compares results with the expected ones, in order. Results beyond the expected ones may be anything.
func (p *program) compare(got []tensor, v invocations.Verification, s share) (mismatch string, err error) {
	if len(v.Expected) > len(got) {
		return "", fmt.Errorf("%d outputs are expected and the program has %d results", len(v.Expected), len(got))
	}
	var differences []string
	for i, text := range v.Expected {
		want, shape, err := expected(text, &got[i], p.signature.results[i], s)
		if err != nil {
			return "", fmt.Errorf("expected output %d: %w", i, err)
		}
		difference := ""
		if !slices.Equal(shape, got[i].shape) {
			difference = fmt.Sprintf("got %s, want shape %v", got[i].text(), shape)
		} else {
			difference = values.Compare(got[i].data, want, got[i].element.storage, v.Tolerance)
		}
		if difference != "" {
			differences = append(differences, fmt.Sprintf("result %d: %s", i, difference))
		}
	}
	return strings.Join(differences, "; "), nil
}

// expected reads an expected result: its elements and their shape, in the storage of the result's type. A file has the
// type of its array, and may hold the results of all devices.
func expected(text string, like *tensor, declared value, s share) (data []byte, shape []int64, err error) {
	a, err := invocations.ParseTensor(text)
	if err != nil {
		return nil, nil, fmt.Errorf("%q: %w", text, err)
	}
	if !declared.known {
		return nil, nil, fmt.Errorf("%q: the result is of type %s, which zonemark cannot compare", text, declared.text)
	}
	switch {
	case a.Fill == invocations.FillDefault:
		return nil, nil, fmt.Errorf("%q: the values are missing; want one such as 4x4xf32=0.5", text)
	case a.Fill == invocations.FillFile:
		stored, err := values.NPYStorage(a.Path)
		if err != nil {
			return nil, nil, err
		}
		a.Shape = stored.Shape
		a.Element = like.element.storage // the reader refuses a file of another type, and knows how bfloat16 is saved
		if len(like.shape) > 0 && len(a.Shape) == len(like.shape) && a.Shape[0] == like.shape[0]*int64(s.devices) &&
			slices.Equal(a.Shape[1:], like.shape[1:]) {
			a.Shape = like.shape
		}
	case a.Element != like.element.storage:
		return nil, nil, fmt.Errorf("%q: the result is of type %s; give it as %s",
			text, declared.text, invocations.TensorShape(like.element.storage, like.shape))
	}
	if !slices.Equal(a.Shape, like.shape) {
		return nil, a.Shape, nil // the caller reports the difference
	}
	data, err = s.fill(like.shape, like.element, int64(len(like.data)), a.Contents, 0)
	return data, a.Shape, err
}

// noteNaN adds a note for results that hold NaN.
func noteNaN(results []tensor, note func(string)) {
	for i := range results {
		r := &results[i]
		size := int(r.element.storage.Size())
		if !r.element.storage.Float() || size == 0 {
			continue
		}
		nan := 0
		for data := r.data; len(data) >= size; data = data[size:] {
			if math.IsNaN(values.FloatAt(data, r.element.storage)) {
				nan++
			}
		}
		if nan > 0 {
			note(fmt.Sprintf("%d of %d elements of result %d are NaN", nan, len(r.data)/size, i))
		}
	}
}
