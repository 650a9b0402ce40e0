package away

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/outbound"
)

// SignatureHeader carries "t=SECONDS,v1=HEX": the HMAC-SHA256, under the webhook's
// secret, of SECONDS, a dot and the body. A receiver refuses an old time.
const SignatureHeader = "X-In-App-Agent-Signature"

// EventWaiting is the word for what a webhook tells.
const EventWaiting = "approval.waiting"

const maxReply = 64 << 10 // of what a receiver says, which is not read

// Webhook tells notices to an address of the operator's.
type Webhook struct {
	URL    string
	secret agent.Secret
	client *http.Client
	now    func() time.Time
}

// NewWebhook makes one. private lets the address be one that is not public, and be
// spoken to without TLS. Errors: invalid_input.
func NewWebhook(url string, secret agent.Secret, private bool, record func(context.Context, outbound.Egress), now func() time.Time) (*Webhook, error) {
	host, err := outbound.HostOf(url, private)
	if err != nil {
		return nil, agent.Wrap(agent.CodeInvalidInput, err, "The address of the approval webhook cannot be used.")
	}
	if len(secret.Reveal()) < 16 {
		return nil, agent.Errorf(agent.CodeInvalidInput, "The approval webhook needs a secret of at least 16 bytes to sign with.")
	}
	if now == nil {
		now = time.Now
	}
	return &Webhook{URL: url, secret: secret, now: now, client: outbound.NewClient(outbound.Policy{
		Hosts: []outbound.Host{host}, Purpose: "approval notice", HeaderTimeout: 10 * time.Second, MaxResponse: maxReply, Record: record,
	})}, nil
}

// Name is for the log.
func (h *Webhook) Name() string { return "webhook" }

// payload is the body. It has the summary and no content of the preview, and no
// e-mail address.
type payload struct {
	Event       string          `json:"event"`
	ID          string          `json:"id"`
	App         string          `json:"app"`
	OrgID       string          `json:"orgId"`
	UserID      string          `json:"userId"`
	UserName    string          `json:"userName"`
	ThreadID    agent.ThreadID  `json:"threadId"`
	ThreadTitle string          `json:"threadTitle"`
	TurnID      agent.TurnID    `json:"turnId"`
	ReceiptID   agent.ReceiptID `json:"receiptId"`
	Capability  string          `json:"capability"`
	Title       string          `json:"title"`
	Summary     string          `json:"summary"`
	URL         string          `json:"url"`
	CreatedAt   int64           `json:"createdAt"`
	ExpiresAt   int64           `json:"expiresAt"`
}

// Send posts one notice; any answer but a 2xx is an error.
func (h *Webhook) Send(ctx context.Context, n Notice) error {
	return h.post(ctx, payload{
		Event: EventWaiting, ID: n.ID, App: n.App, OrgID: n.OrgID, UserID: n.User.ID, UserName: n.User.Name,
		ThreadID: n.Approval.ThreadID, ThreadTitle: n.Approval.ThreadTitle, TurnID: n.Approval.TurnID, ReceiptID: n.Approval.ReceiptID,
		Capability: n.Approval.Capability, Title: n.Approval.Title, Summary: n.Approval.Summary, URL: n.URL,
		CreatedAt: n.Approval.CreatedAt, ExpiresAt: n.ExpiresAt,
	})
}

// post sends one signed body.
func (h *Webhook) post(ctx context.Context, what any) error {
	body, err := json.Marshal(what)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(SignatureHeader, Sign(h.secret, h.now(), body))
	res, err := h.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxReply))
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return fmt.Errorf("the approval webhook answered %d", res.StatusCode)
	}
	return nil
}

// Sign gives the value of SignatureHeader for a body.
func Sign(secret agent.Secret, at time.Time, body []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	h := hmac.New(sha256.New, []byte(secret.Reveal()))
	h.Write([]byte(t + "."))
	h.Write(body)
	return "t=" + t + ",v1=" + hex.EncodeToString(h.Sum(nil))
}
