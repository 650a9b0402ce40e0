package httpapi

import (
	"net/http"

	agent "github.com/lossless-group/in-app-agent"
)

// settings gives the caller's settings.
func (a *api) settings(w http.ResponseWriter, r *http.Request) error {
	s, err := a.Settings.Settings(r.Context())
	return answerSettings(w, s, err)
}

// putSettings stores them.
func (a *api) putSettings(w http.ResponseWriter, r *http.Request) error {
	var s agent.UserSettings
	err := decode(w, r, func(o *object) {
		s = agent.UserSettings{Model: o.str("model"), ResponseMode: o.str("responseMode")}
	})
	if err != nil {
		return err
	}
	view, err := a.Settings.PutSettings(r.Context(), s)
	return answerSettings(w, view, err)
}

func answerSettings(w http.ResponseWriter, s agent.SettingsView, err error) error {
	if err != nil {
		return err
	}
	if s.Models == nil {
		s.Models = []agent.ModelInfo{}
	}
	if s.Providers == nil {
		s.Providers = []string{}
	}
	writeJSON(w, http.StatusOK, s)
	return nil
}

// feedback takes a thumb and a note on a turn.
func (a *api) feedback(w http.ResponseWriter, r *http.Request) error {
	var n agent.FeedbackNote
	err := decode(w, r, func(o *object) {
		n = agent.FeedbackNote{TurnID: agent.TurnID(o.required("turnId")), Thumb: o.str("thumb"), Note: o.str("note")}
	})
	if err != nil {
		return err
	}
	if err := a.Feedback.GiveFeedback(r.Context(), n); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
