package builtin

import (
	"cmp"
	"context"
	"database/sql"
	_ "embed"
	"slices"
	"strings"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
)

//go:embed note.md
var noteWords string

//go:embed recall.md
var recallWords string

type noteInput struct {
	Text  string `json:"text" jsonschema:"the observation, in a sentence or two of plain words"`
	Topic string `json:"topic,omitempty" jsonschema:"a word or two that it can be found by, such as decks"`
}

type noteOutput struct {
	ID   string `json:"id"`
	Kept bool   `json:"kept"`
}

// Note makes cache.note: an observation of the agent's own, kept for a while.
func Note(rows agent.NoteRows) agent.Capability {
	return capability.Func(capability.Spec{
		Name: "cache.note", Title: "Note an observation", Description: noteWords,
		Kind: agent.KindMutate, Tier: agent.TierUser, Shared: true, Commits: true,
	}, func(ctx context.Context, call *agent.Call, in noteInput) (noteOutput, error) {
		n := agent.Note{ID: "note_" + string(call.ID), Thread: call.Thread, Turn: call.Turn, At: call.Now().UnixMilli()}
		var err error
		if n.Text, err = agent.CheckLine("/text", in.Text, agent.MaxNoteBytes); err != nil {
			return noteOutput{}, err
		}
		if n.Topic, err = topic(in.Topic); err != nil {
			return noteOutput{}, err
		}
		err = call.Commit(func(tx *sql.Tx) (err error) {
			n, err = rows.PutNoteIn(ctx, tx, n)
			return err
		})
		return noteOutput{n.ID, err == nil}, err
	})
}

func topic(word string) (string, error) {
	if strings.TrimSpace(word) == "" {
		return "", nil
	}
	word, err := agent.CheckLine("/topic", word, agent.MaxTopicBytes)
	return strings.ToLower(word), err
}

type recallInput struct {
	Query string `json:"query" jsonschema:"a few telling words"`
	Topic string `json:"topic,omitempty" jsonschema:"only notes of this topic"`
}

type recalled struct {
	Text  string `json:"text"`
	Topic string `json:"topic,omitempty"`
	Date  string `json:"date"`
}

type recallOutput struct {
	Notes []recalled `json:"notes"`
	Note  string     `json:"note,omitempty"`
}

// Recall makes cache.recall: the notes that are nearest to a query, at most five.
func Recall(rows agent.NoteRows, similarity agent.Similarity) agent.Capability {
	return capability.Func(capability.Spec{
		Name: "cache.recall", Title: "Recall notes", Description: recallWords,
		Kind: agent.KindRead, Tier: agent.TierUser, Shared: true, Retrieval: true,
	}, func(ctx context.Context, call *agent.Call, in recallInput) (recallOutput, error) {
		about, err := topic(in.Topic)
		if err != nil {
			return recallOutput{}, err
		}
		query, err := searchInput{Query: in.Query}.checked()
		if err != nil {
			return recallOutput{}, err
		}
		now := call.Now()
		notes, err := rows.NoteList(ctx, about, now.UnixMilli())
		if err != nil {
			return recallOutput{}, err
		}
		if notes, err = nearest(ctx, similarity, query.Query, notes); err != nil {
			return recallOutput{}, err
		}
		return tell(ctx, call, rows, notes)
	})
}

// farFromBest is the part of the best score below which a note is not near any more.
const farFromBest = 0.25

// nearest gives the notes that are near to the query, nearest first, of equals the
// newest first.
func nearest(ctx context.Context, similarity agent.Similarity, query string, notes []agent.Note) ([]agent.Note, error) {
	texts := make([]string, len(notes))
	for i, n := range notes {
		texts[i] = n.Topic + " " + n.Text
	}
	scores, err := similarity.Similar(ctx, query, texts)
	if err != nil {
		return nil, err
	}
	order := make([]int, 0, len(notes))
	for i := range notes {
		if i < len(scores) && scores[i] > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	near := []agent.Note{}
	for _, i := range order[:min(len(order), agent.MaxRecalled)] {
		if scores[i] >= farFromBest*scores[order[0]] {
			near = append(near, notes[i])
		}
	}
	return near, nil
}

// tell gives notes to the model, and keeps them from being forgotten as unused.
func tell(ctx context.Context, call *agent.Call, rows agent.NoteRows, notes []agent.Note) (recallOutput, error) {
	out := recallOutput{Notes: []recalled{}}
	var ids []string
	for _, n := range notes {
		ids = append(ids, n.ID)
		out.Notes = append(out.Notes, recalled{n.Text, n.Topic, time.UnixMilli(n.At).UTC().Format(time.DateOnly)})
	}
	if len(ids) == 0 {
		out.Note = "No note has to do with that."
		return out, nil
	}
	if err := rows.TouchNotes(ctx, ids, call.Now().UnixMilli()); err != nil {
		call.Log.Warn("it was not written down that notes were recalled", "call", call.ID, "error", err)
	}
	return out, nil
}
