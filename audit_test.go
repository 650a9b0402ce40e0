package agent_test

import (
	"encoding/json"
	"errors"
	"testing"
	"unicode/utf8"

	agent "github.com/lossless-group/in-app-agent"
)

func TestTheHashOfARowIsWhatOthersWorkOutToo(t *testing.T) {
	e := agent.AuditEntry{Seq: 2, ID: "audit_1", At: 1_700_000_000_000, Actor: "u", Action: "policy.changed", Object: "policy", Detail: json.RawMessage(`{}`)}
	// By hand: python3 -c "import hashlib,struct; …", over the form that ChainHash tells.
	const want = "3370f35e23bd1de966c57eecf97eb0ba4dd10542c21c6aea3da8ddfe160b27b6"
	if got := e.ChainHash("o", "before"); got != want {
		t.Errorf("the hash is %s", got)
	}
}

func TestAPayingOrgIsSearchedUnlessItSaysNo(t *testing.T) {
	for _, c := range []struct {
		billing agent.Billing
		choice  agent.CrossClientChoice
		want    bool
	}{
		{agent.BillingPaying, agent.CrossClientByBilling, true}, {agent.BillingLingering, agent.CrossClientByBilling, false},
		{agent.BillingPaying, agent.CrossClientRefused, false}, {agent.BillingLingering, agent.CrossClientAllowed, true},
		{"", agent.CrossClientByBilling, false}, {agent.BillingPaying, "made up", false},
	} {
		if got := (agent.OrgPolicy{Billing: c.billing, CrossClientSearch: c.choice}).CrossClient(); got != c.want {
			t.Errorf("%s, %q: %v", c.billing, c.choice, got)
		}
	}
}

// FuzzAuditEntry checks that a clean row stays as it is when it is cleaned again and
// when it travels as JSON, so that its hash holds, and that no two rows share one.
func FuzzAuditEntry(f *testing.F) {
	f.Add("id", "u", "a.b", "o", `{"x": "<é>"}`, "r", int64(1), "t")
	f.Add("", "", "", "", ``, "", int64(-1), "")
	f.Add("\xff", "\x00", "\u2028", "a", "{\"\xff\":1}", "", int64(0), "b")
	f.Fuzz(func(t *testing.T, id, actor, action, object, detail, receipt string, at int64, moved string) {
		e, err := agent.AuditEntry{Seq: 1, ID: id, At: at, Actor: actor, Action: action, Object: object, Detail: json.RawMessage(detail), ReceiptID: agent.ReceiptID(receipt)}.Clean()
		var ours *agent.Error
		if err != nil {
			if !errors.As(err, &ours) {
				t.Fatalf("%v", err)
			}
			return
		}
		if len(e.Detail) > agent.MaxAuditDetail || len(e.Object) > agent.MaxAuditWord || !utf8.Valid(e.Detail) {
			t.Errorf("a clean row is %+v", e)
		}
		hash := e.ChainHash("o", "p")
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var back agent.AuditEntry
		if err := json.Unmarshal(line, &back); err != nil {
			t.Fatal(err)
		}
		if again, err := back.Clean(); err != nil || again.ChainHash("o", "p") != hash || back.ChainHash("o", "p") != hash {
			t.Errorf("%s does not hold its hash: %v", line, err)
		}
		other := e
		if other.Actor, other.Action = other.Actor+moved, other.Action[:len(other.Action)-1]; other.ChainHash("o", "p") == hash {
			t.Errorf("two rows share a hash: %+v", other)
		}
		if e.ChainHash("op", "") == hash || e.ChainHash("o", "q") == hash {
			t.Errorf("the hash does not depend on org and place")
		}
	})
}
