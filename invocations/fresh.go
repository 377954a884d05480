package invocations

// Fresh says what calls find in their arguments. The zero value says: what the calls before them have left.
type Fresh struct {
	// Restored reports that each call finds them as they were at first: those that calls change are restored between
	// batches.
	Restored bool
	// Reordered reports that each call finds random contents in another order.
	Reordered bool
}

// With returns what calls find that shall find both.
func (f Fresh) With(o Fresh) Fresh {
	return Fresh{Restored: f.Restored || o.Restored, Reordered: f.Reordered || o.Reordered}
}
