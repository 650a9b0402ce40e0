package openai

import (
	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/outbound"
)

// callPart is a fragment of a tool call. Servers differ: the index may be
// missing, the same for every call or out of order, the id may be missing or
// repeated, the name may come in pieces or with every fragment.
type callPart struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// calls sorts fragments into calls, in the order in which the calls began.
type calls struct {
	list    []*piece
	byIndex map[int]*piece
}

func (c *calls) add(a *assembly, part callPart) error {
	p := c.find(part)
	if p == nil {
		if len(c.list) >= maxPieces {
			return a.malformed(outbound.ErrMalformed)
		}
		p = &piece{kind: agent.BlockCall, index: -1, id: part.ID}
		c.list = append(c.list, p)
		if part.Index != nil {
			if c.byIndex == nil {
				c.byIndex = map[int]*piece{}
			}
			c.byIndex[*part.Index] = p
		}
	}
	if p.id == "" {
		p.id = part.ID
	}
	if name := part.Function.Name; name != p.name && p.index < 0 {
		p.name += a.clean(name)
		a.worth = true
	}
	if part.Function.Arguments == "" {
		return nil
	}
	if p.name != "" { // a name that is still missing may follow
		if err := a.announce(p); err != nil {
			return err
		}
	}
	return a.argue(p, part.Function.Arguments)
}

// find gives the call that a fragment continues; nil when it begins a new one.
func (c *calls) find(part callPart) *piece {
	if len(c.list) == 0 {
		return nil
	}
	p := c.list[len(c.list)-1]
	if part.Index != nil {
		if p = c.byIndex[*part.Index]; p == nil {
			return nil
		}
	} else if part.ID != "" {
		for _, known := range c.list {
			if known.id == part.ID && !c.begins(known, part) {
				return known
			}
		}
	}
	if c.begins(p, part) {
		return nil
	}
	return p
}

// begins reports whether a fragment cannot belong to the call p: it names
// another id together with a name, or it names a call anew when the arguments of
// p are already whole.
func (c *calls) begins(p *piece, part callPart) bool {
	switch {
	case part.Function.Name == "":
		return false
	case part.ID != "" && p.id != "" && part.ID != p.id:
		return true
	case !isObject([]byte(p.text.String())):
		return false
	}
	return part.Function.Arguments != "" || part.Index == nil && part.ID == ""
}
