package sqlite

import (
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// FuzzListCursor checks that a cursor is read as what it was made of or refused,
// and that what a client makes up does no harm.
func FuzzListCursor(f *testing.F) {
	f.Add("", int64(0), "thread_1")
	f.Add("MTcwMCB0aHJlYWRfMQ", int64(-1), "a b")
	f.Add("not base64 !", int64(1)<<62, "\x00")
	f.Fuzz(func(t *testing.T, made string, at int64, id string) {
		if id != "" {
			c := listCursor{at, id}
			back, err := parseListCursor(c.String())
			if err != nil || back != c {
				t.Errorf("%+v came back as %+v, %v", c, back, err)
			}
		}
		c, err := parseListCursor(made)
		switch {
		case err != nil:
			wantCode(t, err, agent.CodeInvalidInput)
		case made == "" && c != listStart:
			t.Errorf("no cursor is %+v", c)
		case made != "" && c.id == "":
			t.Errorf("%q was read as %+v", made, c)
		}
	})
}

func TestAMadeUpCursorShowsNothingOfOthers(t *testing.T) {
	s := openAt(t, Config{})
	begin(t, s, "t1")
	other := agent.WithPrincipal(t.Context(), agent.Principal{UserID: "v", OrgID: "o"})
	for _, c := range []listCursor{{1 << 60, "z"}, {1 << 60, "' OR 1=1 --"}} {
		page, err := s.ThreadRowList(other, agent.ThreadQuery{Cursor: c.String()})
		must(t, err)
		if len(page.Items) != 0 {
			t.Errorf("cursor %+v shows %+v", c, page.Items)
		}
	}
}
