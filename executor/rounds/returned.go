package rounds

import (
	"fmt"
	"math"
	"strconv"

	"zonemark/executor"
	"zonemark/executor/timers"
	"zonemark/invocations"
)

// ReturnedProperty is the key of Properties for what a call has returned that may be a status.
const ReturnedProperty = "returned"

// TellReturned tells what the last call has returned if it may be a status, says that something has failed, and was
// compared with nothing: functions that fail often say so only by what they return, and fail fast.
func (s *Session) TellReturned(r *invocations.Result) {
	work, native := s.call.Work.(*executor.Native)
	loop, looped := s.timer.(*timers.Loop)
	if !native || !looped || s.call.VerifyAgain != nil {
		return
	}
	value, note := statusOf(work, loop)
	if value != "" {
		r.Properties = joined(r.Properties, map[string]string{ReturnedProperty: value})
	}
	if note != "" {
		r.Notes = append(r.Notes, note)
	}
}

// statusOf returns what the last call has returned, if it may be a status, and a note if that may say failure.
func statusOf(work *executor.Native, loop interface {
	Returned() (integer, float uint64)
}) (value, note string) {
	word, bits := loop.Returned()
	switch t := work.Returns; t {
	case invocations.Int8, invocations.Int16, invocations.Int32, invocations.Int64:
		above := 64 - 8*t.Size()
		return signedStatus(int64(word)<<above>>above, t)
	case invocations.Uint32, invocations.Uint64:
		above := 64 - 8*t.Size()
		switch word = word << above >> above; {
		case work.ReturnsPointer && word == 0:
			return "NULL", ifError("NULL", "that")
		case !work.ReturnsPointer && word == math.MaxUint64>>above:
			value = strconv.FormatUint(word, 10)
			return value, ifError(value+", which is -1 without its sign", "that")
		}
	case invocations.Float32:
		return floatStatus(float64(math.Float32frombits(uint32(bits))))
	case invocations.Float64:
		return floatStatus(math.Float64frombits(bits))
	}
	return "", ""
}

// signedStatus tells of a signed integer. Statuses are of 32 bits; wider numbers are sizes and sums.
func signedStatus(n int64, t invocations.ElementType) (value, note string) {
	value = strconv.FormatInt(n, 10)
	switch {
	case n < 0:
		return value, ifError(value, "a negative number")
	case n > 0 && t == invocations.Int32:
		return value, "returned " + value
	case n > 0:
		return value, ""
	}
	return "", ""
}

// floatStatus tells of a floating-point number that is none, or exactly -1: other numbers are results.
func floatStatus(f float64) (value, note string) {
	value = strconv.FormatFloat(f, 'g', -1, 64)
	switch {
	case math.IsNaN(f), math.IsInf(f, 0):
		return value, "returned " + value + ": arithmetic with such numbers may take another time"
	case f == -1:
		return value, ifError(value, "that")
	}
	return "", ""
}

// ifError says what a returned value means for the time if it means an error.
func ifError(value, what string) string {
	return fmt.Sprintf("returned %s: if %s is an error, the time is that of failing calls; an expected output checks the "+
		"value", value, what)
}
