package httpapi

import (
	"context"

	agent "github.com/lossless-group/in-app-agent"
)

// fakePorts is the rest of what a presenter serves: one thread, one key and one
// artifact, all of alice.
type fakePorts struct {
	keys       []agent.NewKey
	rotated    agent.Secret
	patched    agent.ThreadPatch
	query      agent.ThreadQuery
	inboxQuery agent.ApprovalQuery
	rulesQuery agent.PermissionQuery
	revoked    string
	cacheLimit int
	deleted    agent.ThreadID
	note       agent.FeedbackNote
	stored     agent.UserSettings
	previewed  string
	blob       agent.Blob
	edit       agent.ReminderEdit
	reminders  []any // what was asked of them
	month      string
	budgets    *agent.BudgetList
	err        error
	sawPanic   bool
	fakeAdmin
}

// mine gives an error unless alice asks for the one id that there is.
func (f *fakePorts) mine(ctx context.Context, what, id, want string) error {
	p, err := agent.PrincipalFrom(ctx)
	switch {
	case err != nil:
		return err
	case f.sawPanic:
		panic("a port with a fault")
	case f.err != nil:
		return f.err
	case p.UserID != alice.UserID || p.OrgID != alice.OrgID || id != want:
		return agent.NotFound(what)
	}
	return nil
}

func (f *fakePorts) Threads(ctx context.Context, q agent.ThreadQuery) (agent.Page[agent.Thread], error) {
	f.query = q
	if err := f.mine(ctx, "", "", ""); err != nil && agent.ErrorCode(err) != agent.CodeNotFound {
		return agent.Page[agent.Thread]{}, err
	} else if err != nil {
		return agent.Page[agent.Thread]{}, nil
	}
	return agent.Page[agent.Thread]{Items: []agent.Thread{{ID: "th1", Title: "A"}}, Next: "n"}, nil
}

func (f *fakePorts) Approvals(ctx context.Context, q agent.ApprovalQuery) (agent.Page[agent.Approval], error) {
	f.inboxQuery = q
	if err := f.mine(ctx, "", "", ""); agent.ErrorCode(err) == agent.CodeNotFound {
		return agent.Page[agent.Approval]{}, nil
	} else if err != nil {
		return agent.Page[agent.Approval]{}, err
	}
	return agent.Page[agent.Approval]{Next: "n", Items: []agent.Approval{{
		TurnID: "tn1", ThreadID: "th1", ThreadTitle: "A", ProjectID: "p1", ProjectKind: "deck", CallID: "cl1", ReceiptID: "rc1",
		Capability: "slide.edit", Title: "Edit a slide", Summary: "Changes slide 4", CreatedAt: 1, ExpiresAt: 2,
		Artifacts: []agent.ArtifactOutline{{Kind: agent.ArtifactDiff, Title: "Diff", Path: "4.html", Bytes: 5}},
	}}}, nil
}

func (f *fakePorts) Approval(ctx context.Context, id agent.ReceiptID) (agent.ApprovalView, error) {
	return agent.ApprovalView{}, f.mine(ctx, "preview", string(id), "rc1")
}

func (f *fakePorts) Thread(ctx context.Context, id agent.ThreadID, before agent.TurnID, _ int) (agent.ThreadView, error) {
	return agent.ThreadView{Thread: agent.Thread{ID: id}, Before: before}, f.mine(ctx, "thread", string(id), "th1")
}

func (f *fakePorts) PatchThread(ctx context.Context, id agent.ThreadID, p agent.ThreadPatch) (agent.Thread, error) {
	f.patched = p
	return agent.Thread{ID: id}, f.mine(ctx, "thread", string(id), "th1")
}

func (f *fakePorts) DeleteThread(ctx context.Context, id agent.ThreadID) error {
	f.deleted = id
	return f.mine(ctx, "thread", string(id), "th1")
}

func (f *fakePorts) ExportThread(ctx context.Context, id agent.ThreadID, format string) (agent.Export, error) {
	e := agent.Export{Name: "a \"b\"\r\nX: y." + format, MIME: "text/markdown", Data: []byte("# A")}
	return e, f.mine(ctx, "thread", string(id), "th1")
}

func (f *fakePorts) CacheReport(ctx context.Context, id agent.ThreadID, before agent.TurnID, limit int) (agent.CacheReport, error) {
	f.cacheLimit = limit
	return agent.CacheReport{ThreadID: id, Before: before, Steps: []agent.CacheStep{}}, f.mine(ctx, "thread", string(id), "th1")
}

func (f *fakePorts) Artifact(ctx context.Context, call agent.CallID, _ string) (agent.Blob, error) {
	return f.blob, f.mine(ctx, "artifact", string(call), "cl1")
}

func (f *fakePorts) Keys(ctx context.Context) ([]agent.KeyInfo, error) {
	_, err := agent.PrincipalFrom(ctx)
	return nil, err
}

func (f *fakePorts) AddKey(ctx context.Context, k agent.NewKey) (agent.StoredKey, error) {
	f.keys = append(f.keys, k)
	return agent.StoredKey{KeyInfo: agent.KeyInfo{ID: "ky1", Provider: k.Provider}, Test: agent.KeyTest{OK: true}}, f.mine(ctx, "", "", "")
}

func (f *fakePorts) RotateKey(ctx context.Context, id string, key agent.Secret) (agent.StoredKey, error) {
	f.rotated = key
	return agent.StoredKey{KeyInfo: agent.KeyInfo{ID: "ky2"}}, f.mine(ctx, "key", id, "ky1")
}

func (f *fakePorts) RevokeKey(ctx context.Context, id string) error {
	return f.mine(ctx, "key", id, "ky1")
}

func (f *fakePorts) TestKey(ctx context.Context, id string) (agent.KeyTest, error) {
	return agent.KeyTest{OK: true}, f.mine(ctx, "key", id, "ky1")
}

func (f *fakePorts) Settings(ctx context.Context) (agent.SettingsView, error) {
	_, err := agent.PrincipalFrom(ctx)
	return agent.SettingsView{UserSettings: f.stored}, err
}

func (f *fakePorts) PutSettings(ctx context.Context, s agent.UserSettings) (agent.SettingsView, error) {
	f.stored = s
	return f.Settings(ctx)
}

func (f *fakePorts) GiveFeedback(ctx context.Context, n agent.FeedbackNote) error {
	f.note = n
	return f.mine(ctx, "turn", string(n.TurnID), "tn1")
}

func (f *fakePorts) PreviewRedaction(ctx context.Context, text string) (agent.RedactionPreview, error) {
	f.previewed = text
	_, err := agent.PrincipalFrom(ctx)
	if err == nil {
		err = f.err
	}
	return agent.RedactionPreview{Text: "[EMAIL_1]", PolicyVersion: 3}, err
}
