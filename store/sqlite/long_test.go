package sqlite

import (
	"fmt"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func TestALongThreadIsReadFromItsEnd(t *testing.T) {
	n := 10_000
	if testing.Short() || UnderRace {
		n = 500
	}
	s := openAt(t, Config{})
	head := longThread(t, s, n)
	recs, err := s.Path(asUser, head, 3)
	must(t, err)
	if len(recs) != 3 || recs[0].Turn.Index != n-4 || recs[2].Turn.ID != agent.TurnID(fmt.Sprint("long-", n-2)) {
		t.Errorf("the path ends in %+v", recs)
	}
	turns, err := s.PathTurns(asUser, "long", "", 2)
	must(t, err)
	if len(turns) != 2 || turns[1].ID != head {
		t.Errorf("the newest page is %+v", turns)
	}
	all, err := s.Path(asUser, head, 2*n)
	must(t, err)
	if len(all) != n-1 || all[0].Turn.ID != "long-0" {
		t.Errorf("the whole path has %d turns", len(all))
	}
	rows, err := s.Transcripts(asUser, "long")
	must(t, err)
	if len(rows) != n || rows[0].TurnIndex != 0 || rows[n-1].TurnIndex != n-1 {
		t.Errorf("the transcript has %d rows", len(rows))
	}
	must(t, s.DeleteThreadRows(asUser, "long"))
	_, err = s.Turn(asUser, head)
	wantCode(t, err, agent.CodeNotFound)
}
