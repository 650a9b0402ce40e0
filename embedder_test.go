package agent_test

import (
	"context"
	"strings"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

func TestABatchOverTheLimitsIsNotEmbedded(t *testing.T) {
	for name, tt := range map[string]struct {
		texts []string
		want  agent.Code
	}{
		"no text":                  {nil, agent.CodeInvalidInput},
		"one empty text":           {[]string{""}, ""},
		"as many as allowed":       {make([]string, agent.MaxEmbedTexts), ""},
		"one too many":             {make([]string, agent.MaxEmbedTexts+1), agent.CodeInvalidInput},
		"as long as allowed":       {[]string{strings.Repeat("a", agent.MaxEmbedBytes-1), "b"}, ""},
		"one byte over":            {[]string{strings.Repeat("a", agent.MaxEmbedBytes), "b"}, agent.CodeInvalidInput},
		"one text over on its own": {[]string{strings.Repeat("a", agent.MaxEmbedBytes+1)}, agent.CodeInvalidInput},
	} {
		err := agent.CheckEmbed(tt.texts)
		if (err != nil || tt.want != "") && agent.ErrorCode(err) != tt.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// mute is a corpus that does not tell its ranking.
type mute struct{ agent.Corpus }

func (mute) Search(context.Context, []agent.Scope, agent.CorpusQuery) ([]agent.Passage, error) {
	return []agent.Passage{{Text: "a"}}, nil
}

// telling is one that does.
type telling struct{ mute }

func (telling) Find(context.Context, []agent.Scope, agent.CorpusQuery) (agent.Findings, error) {
	return agent.Findings{Ranking: agent.RankingWords, Note: "why"}, nil
}

func TestFindTellsTheRankingWhereTheCorpusDoes(t *testing.T) {
	if got, err := agent.Find(context.Background(), mute{}, nil, agent.CorpusQuery{}); err != nil || got.Ranking != "" || len(got.Passages) != 1 {
		t.Errorf("got %+v %v", got, err)
	}
	if got, err := agent.Find(context.Background(), telling{}, nil, agent.CorpusQuery{}); err != nil || got.Ranking != agent.RankingWords || got.Note != "why" {
		t.Errorf("got %+v %v", got, err)
	}
}

func TestTheHashOfAPassageCoversWhatIsToldAboutIt(t *testing.T) {
	base := agent.Passage{Text: "a", Title: "b", SourcePath: "c", SourceRepo: "d", Date: "e", Tags: []string{"f"}}
	seen := map[string]bool{base.Hash(): true}
	for _, change := range []func(*agent.Passage){
		func(p *agent.Passage) { p.Text = "x" }, func(p *agent.Passage) { p.Title = "x" }, func(p *agent.Passage) { p.SourcePath = "x" },
		func(p *agent.Passage) { p.SourceRepo = "x" }, func(p *agent.Passage) { p.Date = "x" }, func(p *agent.Passage) { p.Tags = nil },
		func(p *agent.Passage) { p.Text, p.Title = "ab", "" }, func(p *agent.Passage) { p.Tags = []string{"f", "f"} },
	} {
		p := base
		change(&p)
		if seen[p.Hash()] {
			t.Errorf("%+v has the hash of another", p)
		}
		seen[p.Hash()] = true
	}
	same := base
	same.Collection, same.Score = "y", 3
	if same.Hash() != base.Hash() {
		t.Error("collection and score are in the hash")
	}
}
