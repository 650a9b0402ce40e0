package sqlite

import (
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func TestALongThreadIsReadFromItsEnd(t *testing.T) {
	s := openAt(t, Config{})
	head := longThread(t, s, 10_000)
	recs, err := s.Path(asUser, head, 3)
	must(t, err)
	if len(recs) != 3 || recs[0].Turn.Index != 9_996 || recs[2].Turn.ID != "long-9998" {
		t.Errorf("the path ends in %+v", recs)
	}
	turns, err := s.PathTurns(asUser, "long", "", 2)
	must(t, err)
	if len(turns) != 2 || turns[1].ID != head {
		t.Errorf("the newest page is %+v", turns)
	}
	all, err := s.Path(asUser, head, 20_000)
	must(t, err)
	if len(all) != 9_999 || all[0].Turn.ID != "long-0" {
		t.Errorf("the whole path has %d turns", len(all))
	}
	rows, err := s.Transcripts(asUser, "long")
	must(t, err)
	if len(rows) != 10_000 || rows[0].TurnIndex != 0 || rows[9_999].TurnIndex != 9_999 {
		t.Errorf("the transcript has %d rows", len(rows))
	}
	must(t, s.DeleteThreadRows(asUser, "long"))
	_, err = s.Turn(asUser, head)
	wantCode(t, err, agent.CodeNotFound)
}
