package comparing

import (
	"context"
	"errors"
)

func (f *Flags) buildBoth(ctx context.Context, sides *[2]*side) (done func(), err error) {
	return func() {}, errors.New("no")
}
func (f *Flags) runBisect(ctx context.Context) int { return 1 }
