package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/server"
)

type doctorAuditCmd struct {
	common
	Org     string `help:"Slug of one org; left out, the logs of all are checked." placeholder:"SLUG"`
	Against string `type:"existingfile" help:"An earlier export of the org's log: it must be the beginning of the log." placeholder:"FILE"`
}

// Run checks the logs, also beside a running server, and names the first row of each
// that does not hold.
func (c *doctorAuditCmd) Run(e *env) error {
	if c.Against != "" && c.Org == "" {
		return usageError{errors.New("--against needs --org: an export is of one org")}
	}
	a, err := c.openAdmin(e)
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }()
	orgs, err := c.orgs(e, a)
	if err != nil {
		return err
	}
	broken := 0
	for _, org := range orgs {
		ok, err := c.check(e, a, org)
		if err != nil {
			return err
		}
		if !ok {
			broken++
		}
	}
	if broken > 0 {
		return &agent.Error{Code: agent.CodeInvalidInput, Message: fmt.Sprintf("The audit log of %d of %d orgs does not hold.", broken, len(orgs)),
			Hint: "Compare it with an export or a backup: what stands before the named row is as it was written. See docs/guides/operate.md, Audit."}
	}
	return nil
}

func (c *doctorAuditCmd) orgs(e *env, a *server.Admin) ([]agent.Org, error) {
	if c.Org == "" {
		return a.Directory.Orgs(e.ctx)
	}
	org, err := findOrg(e, a.Directory, c.Org)
	return []agent.Org{org}, err
}

// check tells of one log, and whether it holds.
func (c *doctorAuditCmd) check(e *env, a *server.Admin, org agent.Org) (bool, error) {
	var anchor agent.AuditHead
	if c.Against != "" {
		head, bad, err := readExport(c.Against, org.ID)
		switch {
		case err != nil:
			return false, err
		case bad > 0:
			fmt.Fprintf(e.stdout, "%s: line %d of %s is not what was exported\n", org.Slug, bad, c.Against)
			return false, nil
		}
		anchor = head
	}
	report, err := a.Log.VerifyAudit(asOperator(e, org), anchor)
	if err != nil {
		return false, err
	}
	if b := report.Broken; b != nil {
		fmt.Fprintf(e.stdout, "%s: BROKEN at row %d: %s (%d rows before it hold)\n", org.Slug, b.Seq, b.Reason, report.Rows)
		return false, nil
	}
	fmt.Fprintf(e.stdout, "%s: %d rows hold\n", org.Slug, report.Rows)
	return true, nil
}

// maxExportLine is longer than any row of an export.
const maxExportLine = 64 << 10

// readExport checks the chain of an export and gives its end; bad is the number of the
// first line that does not follow the one before, 0 for none.
func readExport(path, orgID string) (head agent.AuditHead, bad int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return head, 0, err
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxExportLine)
	for lines.Scan() {
		var row agent.AuditEntry
		if json.Unmarshal(lines.Bytes(), &row) != nil || row.Seq != head.Seq+1 || row.ChainHash(orgID, head.Hash) != row.Hash {
			return head, head.Seq + 1, nil
		}
		head = agent.AuditHead{Seq: row.Seq, Hash: row.Hash}
	}
	return head, 0, lines.Err()
}

// openAdmin opens the administration beside a running server.
func (c common) openAdmin(e *env) (*server.Admin, error) {
	cfg, err := c.settings()
	if err != nil {
		return nil, err
	}
	rules, err := server.NewKeyRules(cfg.Providers, cfg.Model.Default)
	if err != nil {
		return nil, err
	}
	at, err := c.databases()
	if err != nil {
		return nil, err
	}
	return server.OpenAdmin(e.ctx, at, rules)
}
