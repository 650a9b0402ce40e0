// Package storetest is the conformance suite that every store passes: what the
// storage ports promise, said in cases that run against an empty store each.
//
// A store's own test calls Run. The cases are also there one by one, over a small
// TB, so that a test can run them against stores that are broken on purpose and
// see that each fault is caught.
package storetest

import (
	"context"
	"testing"

	agent "github.com/lossless-group/in-app-agent"
)

// Store is what the suite runs against: every storage port in one.
type Store interface {
	agent.Journal
	agent.Compactions
	agent.StepTraces
	agent.ThreadFinder
	agent.Committer
	agent.EventLog
	agent.Owners
	agent.Receipts
	agent.ApprovalRows
	agent.PermissionRows
	agent.ApprovalLinks
	agent.ThreadRows
	agent.SettingsRows
	agent.FeedbackRows
	agent.KeyRows
	agent.RedactionRows
	agent.Sessions
	agent.Directory
	agent.Policies
	agent.ReminderRows
	agent.NoteRows
	agent.JobRows
	agent.TranscriptFeed
	agent.EventCompaction
	agent.PolicyRows
	agent.Audit
	agent.BudgetLedger
	agent.UsageRows
	agent.EgressRows
	agent.Clients
	agent.AuditNotices
	// RefreshPolicies copies the orgs' policy to where Policy reads it.
	RefreshPolicies(ctx context.Context) error
	// PutRedactionPolicy sets what the caller's org keeps from providers.
	PutRedactionPolicy(ctx context.Context, p agent.RedactionPolicy) error
}

// TB is the part of testing.TB that a case uses. Fatalf does not return.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Case is one promise. Topic groups the cases of one part of the store.
type Case struct {
	Topic string
	Name  string
	// Run fails tb where the store breaks the promise. The store must be empty.
	Run func(tb TB, s Store)
}

// Run runs every case against a store of its own.
func Run(t *testing.T, open func(t testing.TB) Store) {
	t.Helper()
	for _, c := range Cases() {
		t.Run(c.Topic+"/"+c.Name, func(t *testing.T) {
			t.Parallel()
			c.Run(t, open(t))
		})
	}
}

// Cases gives all cases, by topic.
func Cases() []Case {
	var all []Case
	add := func(topic string, cases []Case) {
		for _, c := range cases {
			c.Topic = topic
			all = append(all, c)
		}
	}
	add("start", startCases)
	add("place", placeCases)
	add("live", liveCases)
	add("read", readCases)
	add("commit", commitCases)
	add("atomic", atomicCases)
	add("ledger", ledgerCases)
	add("host", hostCases)
	add("take", takeCases)
	add("refuse", refuseCases)
	add("owner", ownerCases)
	add("path", pathCases)
	add("turns", turnListCases)
	add("threads", threadCases)
	add("list", threadListCases)
	add("search", searchCases)
	add("delete", deleteCases)
	add("transcript", transcriptCases)
	add("receipt", receiptCases)
	add("approval", approvalCases)
	add("redo", redoCases)
	add("away", awayCases)
	add("permission", permissionCases)
	add("tenancy", tenancyCases)
	add("compaction", compactionCases)
	add("trace", traceCases)
	add("settings", settingsCases)
	add("key", keyCases)
	add("orgkey", orgKeyCases)
	add("session", sessionCases)
	add("policy", policyCases)
	add("reminder", reminderCases)
	add("note", noteCases)
	add("job", jobCases)
	add("feed", feedCases)
	add("compact", compactCases)
	add("audit", auditCases)
	add("audited", auditedCases)
	add("budget", budgetCases)
	add("egress", egressCases)
	add("clients", clientsCases)
	add("redaction", redactionCases)
	return all
}
