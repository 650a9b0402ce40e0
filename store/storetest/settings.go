package storetest

import agent "github.com/lossless-group/in-app-agent"

var settingsCases = []Case{
	{Name: "settings are zero at first, then the last ones", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		for _, want := range []agent.UserSettings{{}, {Model: "m-1", ResponseMode: agent.ResponseThorough}, {Model: "m-2"}} {
			if want != (agent.UserSettings{}) {
				w.ok(s.PutUserSettings(as(alice), want, start))
			}
			got, err := s.UserSettings(as(alice))
			w.ok(err)
			w.same(got, want, "settings")
		}
	}},
	{Name: "settings are a user's in an org", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		for _, p := range []agent.Principal{alice, bob, aliceOther, carol} {
			w.ok(s.PutUserSettings(as(p), agent.UserSettings{Model: "of " + p.UserID + p.OrgID}, start))
		}
		for _, p := range []agent.Principal{alice, bob, aliceOther, carol} {
			got, err := s.UserSettings(as(p))
			w.ok(err)
			w.same(got.Model, "of "+p.UserID+p.OrgID, "model")
		}
	}},
	{Name: "feedback is given, changed and taken back on an own turn", Run: func(tb TB, s Store) {
		w := newWorld(tb, s)
		turn := w.begin(alice)
		for _, thumb := range []string{agent.ThumbUp, agent.ThumbDown, "", ""} {
			w.ok(s.PutFeedback(as(alice), agent.FeedbackNote{TurnID: turn.ID, Thumb: thumb, Note: "because"}, start))
		}
		w.code(s.PutFeedback(as(alice), agent.FeedbackNote{TurnID: turn.ID, Thumb: "sideways"}, start), agent.CodeInvalidInput, "another thumb")
		w.code(s.PutFeedback(as(alice), agent.FeedbackNote{TurnID: "turn_none", Thumb: agent.ThumbUp}, start), agent.CodeNotFound, "an unknown turn")
	}},
}
