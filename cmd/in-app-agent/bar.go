package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/lossless-group/in-app-agent/corpus/ingest"
)

const (
	barWidth   = 30
	plainParts = 10 // lines of a whole run where there is no terminal
)

// bar shows how far a run is: one line that is drawn over and over on a terminal, and
// else a plain line for each tenth.
type bar struct {
	out      io.Writer
	terminal bool
	shown    int // the last tenth, or per cent, that was shown
	drawn    bool
}

func newBar(out io.Writer) *bar {
	b := &bar{out: out, shown: -1}
	if f, ok := out.(*os.File); ok {
		info, err := f.Stat()
		b.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return b
}

// tell shows what is new since the last time.
func (b *bar) tell(p ingest.Progress) {
	parts := plainParts
	if b.terminal {
		parts = 100
	}
	part := p.Done * parts / max(p.Total, 1)
	if part == b.shown {
		return
	}
	b.shown, b.drawn = part, true
	if !b.terminal {
		fmt.Fprintf(b.out, "%d of %d files, %d sections\n", p.Done, p.Total, p.Sections)
		return
	}
	full := p.Done * barWidth / max(p.Total, 1)
	fmt.Fprintf(b.out, "\r[%s%s] %3d%% %d of %d files, %d sections", strings.Repeat("#", full), strings.Repeat(".", barWidth-full),
		part, p.Done, p.Total, p.Sections)
}

// end leaves the line, so that what follows stands below it.
func (b *bar) end() {
	if b.terminal && b.drawn {
		fmt.Fprintln(b.out)
	}
}
