package engine

import (
	"crypto/sha256"
	"encoding/hex"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
)

// propose writes the receipt of a preview and shows it. The last call of an
// answer parks the turn in the same transaction.
func (r *run) propose(c agent.CallRecord, out capability.Outcome, last bool) (parked bool, err error) {
	now := r.e.Now()
	t := r.rec.Turn
	receipt := agent.Receipt{
		ID: agent.ReceiptID(r.e.IDs("receipt")), CallID: c.ID, TurnID: t.ID, ThreadID: t.ThreadID,
		OrgID: t.OrgID, UserID: t.UserID, Project: r.project, Capability: c.Capability,
		Input: out.Input, InputDigest: out.Digest, Resources: out.Resources, PolicyVersion: r.policy.Version,
		Preview: *out.Result.Preview, State: agent.ReceiptOpen,
		CreatedAt: now.UnixMilli(), ExpiresAt: now.Add(r.e.Limits.PreviewLife).UnixMilli(), Replaces: r.staleOf(c.ID),
	}
	var blobs []agent.Blob
	receipt.Preview.Artifacts, blobs = stow(receipt.Preview.Artifacts, t.ThreadID)
	c.State, c.EndedAt = agent.CallOpen, now.UnixMilli()
	c.Usage = r.generated.of(c.ID)
	*r.record(c.ID) = c
	r.rec.Receipts = append(r.rec.Receipts, receipt)
	row := r.row()
	m := agent.Milestone{Calls: []agent.CallRecord{c}, Receipts: []agent.Receipt{receipt}, Blobs: blobs, Transcript: &row}
	payloads := append(r.usages(c.ID), agent.PreviewShown{
		CallID: c.ID, ReceiptID: receipt.ID, Name: c.Capability, Title: titleOf(out.Capability, out.Known, c),
		Input: shown(out.Input), Summary: receipt.Preview.Summary, Artifacts: receipt.Preview.Artifacts, ExpiresAt: receipt.ExpiresAt, Replaces: receipt.Replaces,
		Scope: r.scope(out.Capability, receipt),
	}, quiet(c.Capability))
	park := last && r.waitsForUser()
	r.l.write.Lock()
	defer r.l.write.Unlock()
	if park && r.effectsDue() == 0 {
		m.State = agent.TurnAwaiting
	}
	if err := r.l.persist(m, payloads...); err != nil {
		return false, err
	}
	return m.State != "", nil
}

// park ends the run: the turn waits for its user as a row. It stays when a
// decision was taken meanwhile.
func (r *run) park() (parked bool, err error) {
	r.l.write.Lock()
	defer r.l.write.Unlock()
	if r.effectsDue() > 0 {
		return false, nil
	}
	return true, r.l.persist(agent.Milestone{State: agent.TurnAwaiting})
}

// effectsDue counts taken decisions whose effect did not run yet; write is held,
// so that none can be taken while the turn parks.
func (r *run) effectsDue() int {
	r.l.mu.Lock()
	defer r.l.mu.Unlock()
	return len(r.l.effects)
}

// stow moves big artifacts out of the preview: they are stored once by digest and
// fetched when somebody looks at them.
func stow(artifacts []agent.Artifact, thread agent.ThreadID) (slim []agent.Artifact, blobs []agent.Blob) {
	seen := map[string]bool{}
	for _, a := range artifacts {
		data := a.Data
		if data == nil {
			data = []byte(a.Text)
		}
		if a.Data != nil || len(data) > agent.InlineArtifactMax {
			sum := sha256.Sum256(data)
			a.Digest, a.Bytes, a.Text, a.Data = hex.EncodeToString(sum[:]), int64(len(data)), "", nil
			if !seen[a.Digest] {
				seen[a.Digest] = true
				blobs = append(blobs, agent.Blob{Digest: a.Digest, Thread: thread, MIME: a.MIME, Data: data})
			}
		}
		slim = append(slim, a)
	}
	return slim, blobs
}
