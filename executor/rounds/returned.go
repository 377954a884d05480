package rounds

import (
	"fmt"
	"strconv"

	"zonemark/executor"
	"zonemark/executor/timers"
	"zonemark/invocations"
)

// ReturnedProperty is the key of Properties for what a call has returned that may be a status.
const ReturnedProperty = "returned"

// TellReturned tells what the last call has returned if it may be a status, is not 0, and was compared with nothing:
// functions that fail often say so only by what they return, and fail fast.
func (s *Session) TellReturned(r *invocations.Result) {
	work, native := s.call.Work.(*executor.Native)
	loop, looped := s.timer.(*timers.Loop)
	if !native || !looped || s.call.VerifyAgain != nil {
		return
	}
	word, _ := loop.Returned()
	value := int64(word)
	switch t := work.Returns; t {
	case invocations.Int8, invocations.Int16, invocations.Int32, invocations.Int64:
		above := 64 - 8*t.Size()
		value = value << above >> above
	default:
		return
	}
	if value == 0 {
		return
	}
	r.Properties = joined(r.Properties, map[string]string{ReturnedProperty: strconv.FormatInt(value, 10)})
	switch {
	case value < 0:
		r.Notes = append(r.Notes, fmt.Sprintf("returned %d: if a negative number is an error, the time is that of "+
			"failing calls; an expected output checks the value", value))
	case work.Returns == invocations.Int32: // statuses are; wider numbers are sizes and sums
		r.Notes = append(r.Notes, fmt.Sprintf("returned %d", value))
	}
}
