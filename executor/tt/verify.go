package tt

import (
	"errors"
	"fmt"
	"slices"

	"zonemark/executor/arguments"
	"zonemark/executor/values"
	"zonemark/invocations"
)

// verify runs the program once and compares the results of every device with the expected ones, or the joined results
// of all if the program is split over them. It notes results that hold NaN.
func (p *program) verify(s *argumentSet, inv *invocations.Invocation, note func(string)) (mismatch string, err error) {
	return p.verifyAfter(s.invoke, s, inv, note)
}

// verifyAfter does what verify does, with results that a call leaves in a set.
func (p *program) verifyAfter(
	call func() error, s *argumentSet, inv *invocations.Invocation, note func(string),
) (mismatch string, err error) {
	if err := call(); err != nil {
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
	arguments.NoteNaN(p.outputs(results[0], share{0, len(results)}), note)
	return p.compareAll(results, inv.Verify, note)
}

// compareAll compares the results of all devices with the expected ones.
func (p *program) compareAll(
	devices [][]tensor, v invocations.Verification, note func(string),
) (mismatch string, err error) {
	differ := 0
	for device, results := range devices {
		how := arguments.Comparison{Tolerance: v.Tolerance, Note: note}
		text, err := how.Expected(p.outputs(results, share{device, len(devices)}), v.Expected)
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

// outputs returns results as they are compared. A file with what is expected may hold the results of all devices.
func (p *program) outputs(results []tensor, s share) []arguments.Output {
	list := make([]arguments.Output, len(results))
	for i := range results {
		r := &results[i]
		list[i] = arguments.Output{
			Label: fmt.Sprintf("result %d", i), Element: r.element.storage, Shape: r.shape, Data: r.data,
			Read: func(a *invocations.Argument) ([]int64, []byte, error) {
				return s.expected(a, p.signature.results[i], r)
			},
		}
	}
	return list
}

// expected reads what is expected of a result. It returns no elements if they have another shape.
func (s share) expected(
	a *invocations.Argument, declared value, like *tensor,
) (shape []int64, data []byte, err error) {
	shape = a.Shape
	switch {
	case !declared.known:
		return nil, nil, fmt.Errorf("the result is of type %s, which zonemark cannot compare", declared.text)
	case a.Element != like.element.storage:
		return nil, nil, fmt.Errorf("the result is of type %s; give it as %s", declared.text,
			invocations.TensorShape(like.element.storage, like.shape))
	case a.Fill == invocations.FillFile:
		stored, err := values.NPYStorage(a.Contents)
		if err != nil {
			return nil, nil, err
		}
		shape = stored.Shape
		if len(like.shape) > 0 && len(shape) == len(like.shape) && shape[0] == like.shape[0]*int64(s.devices) &&
			slices.Equal(shape[1:], like.shape[1:]) {
			shape = like.shape
		}
	}
	if !slices.Equal(shape, like.shape) {
		return shape, nil, nil
	}
	data, err = s.fill(shape, like.element, int64(len(like.data)), a.Contents, 0)
	return shape, data, err
}
