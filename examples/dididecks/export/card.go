package export

import (
	"fmt"
	"html"

	"github.com/lossless-group/in-app-agent/examples/dididecks/look"
	"github.com/lossless-group/in-app-agent/examples/dididecks/render"
)

// Size of a share image, in pixels.
const (
	CardWidth  = 1200
	CardHeight = 630
)

// MaxCards bounds the share images of one proposal; it is the number of layouts.
const MaxCards = 6

// Card is what a share image shows.
type Card struct {
	Title, Subtitle, Foot string
	Look                  look.Look
	Layout                int // 0 to MaxCards-1
}

// layouts are what makes the variants differ besides colour: where the words stand
// and what is drawn around them.
var layouts = [MaxCards]string{
	`main { justify-content: flex-end; } .mark { right: -140px; top: -140px; width: 520px; height: 520px; border-radius: 50%; background: var(--accent); }`,
	`main { justify-content: center; text-align: center; align-items: center; } .mark { inset: 0 0 auto 0; height: 18px; background: linear-gradient(90deg, var(--accent), var(--second)); }`,
	`main { justify-content: center; padding-left: 130px; } .mark { left: 60px; top: 90px; bottom: 90px; width: 14px; background: var(--accent); }`,
	`main { justify-content: flex-start; } .mark { right: 0; bottom: 0; width: 100%; height: 190px; background: linear-gradient(100deg, var(--second), var(--accent)); clip-path: polygon(0 100%, 100% 0, 100% 100%); }`,
	`main { justify-content: flex-end; } .mark { inset: 44px; border: 6px solid var(--accent); border-radius: var(--radius); } main { padding: 96px; }`,
	`main { justify-content: center; width: 62%; } .mark { right: 0; top: 0; bottom: 0; width: 34%; background: repeating-linear-gradient(135deg, var(--accent) 0 26px, var(--second) 26px 52px); }`,
}

// Document gives the card as a page of its size.
func (c Card) Document() []byte {
	l := c.Look
	return fmt.Appendf(nil, `<!doctype html>
<html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="%s"><style>
* { box-sizing: border-box; margin: 0; }
body { --accent: %s; --second: %s; --radius: %s; position: relative; width: %dpx; height: %dpx; overflow: hidden; background: %s; color: %s; font-family: %s; }
main { position: relative; z-index: 1; display: flex; flex-direction: column; gap: 20px; height: 100%%; padding: 72px 80px; }
h1 { max-width: 100%%; font: %d %s/1.05 %s; letter-spacing: -0.02em; text-wrap: balance; }
p { font-size: 32px; line-height: 1.3; color: %s; max-width: 900px; }
footer { font-size: 24px; font-weight: 600; color: %s; }
.mark { position: absolute; }
%s
</style></head><body><div class="mark"></div><main><h1>%s</h1><p>%s</p><footer>%s</footer></main></body></html>
`, render.Policy, l.Accent, l.Second, l.Radius, CardWidth, CardHeight, l.Paper, l.Ink, l.Text,
		l.Weight, titleSize(c.Title), l.Display, l.Muted, l.Ink, layouts[c.Layout%MaxCards],
		html.EscapeString(c.Title), html.EscapeString(c.Subtitle), html.EscapeString(c.Foot))
}

// titleSize keeps a long title inside the image.
func titleSize(title string) string {
	switch n := len([]rune(title)); {
	case n <= 24:
		return "92px"
	case n <= 48:
		return "72px"
	case n <= 90:
		return "56px"
	default:
		return "40px"
	}
}
