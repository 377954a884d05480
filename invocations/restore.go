package invocations

// Restore says whether the arguments that calls change are restored before each call. The zero value is RestoreAuto.
type Restore string

// When arguments are restored. RestoreAuto restores them if calls on restored arguments take another time than calls on
// what earlier calls have left. RestoreAlways restores them in any case; an invocation whose arguments the runtime
// cannot restore is skipped. With RestoreNever, each call finds what the call before has left.
const (
	RestoreAuto   Restore = "auto"
	RestoreAlways Restore = "always"
	RestoreNever  Restore = "never"
)

// Restores returns all values of Restore that have a name.
func Restores() []Restore { return []Restore{RestoreAuto, RestoreAlways, RestoreNever} }
