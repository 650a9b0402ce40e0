package jobs

import (
	"context"
	"fmt"
	"time"

	agent "github.com/lossless-group/in-app-agent"
)

// CompactAfter is how long after its end the events of a turn are kept as they were
// told.
const CompactAfter = 7 * 24 * time.Hour

const compactAtOnce = 200

// Compact makes the events of turns that ended CompactAfter ago small.
type Compact struct {
	Events agent.EventCompaction
	Now    func() time.Time
}

// Run compacts until nothing is left to do.
func (c Compact) Run(ctx context.Context) (string, error) {
	now := time.Now
	if c.Now != nil {
		now = c.Now
	}
	endedBy := now().Add(-CompactAfter).UnixMilli()
	var sum agent.Compacted
	say := func() string {
		return fmt.Sprintf("%s compacted: %d rows became %d.", count(sum.Turns, "turn"), sum.Rows, sum.Left)
	}
	for {
		if err := ctx.Err(); err != nil {
			return say(), err
		}
		done, err := c.Events.CompactEvents(ctx, endedBy, compactAtOnce)
		sum.Turns, sum.Rows, sum.Left = sum.Turns+done.Turns, sum.Rows+done.Rows, sum.Left+done.Left
		if err != nil || done.Turns == 0 {
			return say(), err
		}
	}
}
