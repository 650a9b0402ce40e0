package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/auth"
	"github.com/lossless-group/in-app-agent/server"
)

type keysCmd struct {
	Set    keysSetCmd    `cmd:"" help:"Store an org's key; the key is read from standard input, so that it stands in no history."`
	List   keysListCmd   `cmd:"" help:"List the keys of an org or of a user, masked."`
	Remove keysRemoveCmd `cmd:"" help:"End a key of an org or of a user at once."`
	Rotate keysRotateCmd `cmd:"" name:"rotate-master" help:"Add a master key and seal every stored key anew. Works beside a running server."`
}

type keysSetCmd struct {
	common
	Org      string `required:"" help:"Slug of the org." placeholder:"SLUG"`
	Provider string `required:"" help:"Provider id: anthropic, openai, groq or one of the configuration." placeholder:"ID"`
}

// Run checks the key as the HTTP operation does, and stores it.
func (c *keysSetCmd) Run(e *env) error {
	key, err := readKey(e.stdin)
	if err != nil {
		return err
	}
	cfg, err := c.settings()
	if err != nil {
		return err
	}
	rules, err := server.NewKeyRules(cfg.Providers, cfg.Model.Default)
	if err != nil {
		return err
	}
	if err := rules.Check(c.Provider, key); err != nil {
		return usageError{hinted(err, "Pipe the key in, on one line: printf %s \"$KEY\" | in-app-agent keys set --org SLUG --provider anthropic")}
	}
	k, err := c.openKeys(e)
	if err != nil {
		return err
	}
	defer func() { _ = k.Close() }()
	org, err := findOrg(e, k.Directory, c.Org)
	if err != nil {
		return err
	}
	if err := k.Vault.PutOrg(asOperator(e, org), c.Provider, key); err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "stored the %s key of %s; it was not tested\n%s\n", c.Provider, org.Slug, howUsed(rules, org, c.Provider))
	return nil
}

// readKey reads one line.
func readKey(stdin io.Reader) (agent.Secret, error) {
	line, err := bufio.NewReader(io.LimitReader(stdin, 4<<10)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return agent.Secret{}, fmt.Errorf("read the key: %w", err)
	}
	return agent.NewSecret(strings.TrimSpace(line)), nil
}

// howUsed says when a new key of an org is asked, because a key alone changes no
// org's default model.
func howUsed(rules server.KeyRules, org agent.Org, provider string) string {
	if org.Billing != agent.BillingPaying {
		return org.Slug + " is " + string(org.Billing) + ": its members use keys of their own, and this one counts only once the org pays."
	}
	model, ok := rules.DefaultModel(org)
	switch {
	case ok && model.Provider == provider:
		return "Its members ask " + model.Name + " with it unless they choose another model."
	case ok && model.Scripted && org.ID == auth.PayingOrg:
		return "Its members ask the scripted model until the demo starts again; from then on a model of " + provider + "."
	case ok:
		return "Its members ask " + model.Name + " of " + model.Provider + " by default. For this key they choose a model of " + provider + " in the settings."
	}
	return "Its members choose a model of " + provider + " in the settings."
}

// whose names the owner of keys: an org or a user.
type whose struct {
	Org  string `xor:"whose" help:"Slug of the org; orgs list shows them. Either this or --user." placeholder:"SLUG"`
	User string `xor:"whose" help:"Id of the user; orgs members SLUG shows them. Either this or --org." placeholder:"ID"`
}

func (w whose) named() error {
	if w.Org == "" && w.User == "" {
		return errors.New("say whose keys: --org SLUG or --user ID")
	}
	return nil
}

// owner is whose keys a verb works on, found in the directory.
type owner struct {
	ctx    context.Context
	name   string
	flag   string // as it was given
	list   func(context.Context) ([]agent.KeyInfo, error)
	revoke func(context.Context, string) error
}

func (w whose) find(e *env, k *server.Keys) (owner, error) {
	if w.Org != "" {
		org, err := findOrg(e, k.Directory, w.Org)
		return owner{asOperator(e, org), org.Slug, "--org " + org.Slug, k.Vault.ListOrg, k.Vault.RevokeOrg}, err
	}
	user, err := k.Directory.User(e.ctx, w.User)
	if err != nil {
		return owner{}, hinted(err, "in-app-agent orgs members SLUG lists the users of an org by id.")
	}
	// A user's keys are the person's own in every org, so none is named.
	ctx := agent.WithPrincipal(e.ctx, agent.Principal{UserID: user.ID, OrgID: operator})
	return owner{ctx, user.ID, "--user " + user.ID, k.Vault.List, k.Vault.Revoke}, nil
}

type keysListCmd struct {
	common
	whose
}

// Validate wants an owner and a data folder.
func (c *keysListCmd) Validate() error { return errors.Join(c.named(), c.common.Validate()) }

// Run lists the keys, newest first.
func (c *keysListCmd) Run(e *env) error {
	k, err := c.listKeys(e)
	if err != nil {
		return err
	}
	defer func() { _ = k.Close() }()
	o, err := c.find(e, k)
	if err != nil {
		return err
	}
	list, err := o.list(o.ctx)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		fmt.Fprintf(e.stdout, "%s has no stored key\n", o.name)
		return nil
	}
	return table(e.stdout, "ID\tPROVIDER\tLABEL\tKEY\tSTORED\tLAST USED", list, func(i agent.KeyInfo) []any {
		return []any{i.ID, i.Provider, i.Label, i.Masked, day(i.CreatedAt), day(i.LastUsedAt)}
	})
}

type keysRemoveCmd struct {
	common
	whose
	ID string `arg:"" help:"Id of the key, as keys list shows it."`
}

// Validate wants an owner and a data folder.
func (c *keysRemoveCmd) Validate() error { return errors.Join(c.named(), c.common.Validate()) }

// Run ends the key; running turns that use it end with the next model call.
func (c *keysRemoveCmd) Run(e *env) error {
	k, err := c.listKeys(e)
	if err != nil {
		return err
	}
	defer func() { _ = k.Close() }()
	o, err := c.find(e, k)
	if err != nil {
		return err
	}
	if err := o.revoke(o.ctx, c.ID); err != nil {
		return hinted(err, "in-app-agent keys list "+o.flag+" shows the keys that there are.")
	}
	fmt.Fprintf(e.stdout, "removed the key %s of %s\n", c.ID, o.name)
	return nil
}

type keysRotateCmd struct{ common }

// Run rotates the master key.
func (c *keysRotateCmd) Run(e *env) error {
	at, err := c.databases()
	if err != nil {
		return err
	}
	n, err := server.RotateMaster(context.WithoutCancel(e.ctx), at)
	if err == nil || n > 0 {
		fmt.Fprintf(e.stdout, "sealed %d keys under a new master key\n", n)
	}
	return err
}

// openKeys opens the key store beside a running server.
func (c common) openKeys(e *env) (*server.Keys, error) {
	at, err := c.databases()
	if err != nil {
		return nil, err
	}
	return server.OpenKeys(e.ctx, at)
}

// listKeys opens the key store beside a running server, also where its master key is lost.
func (c common) listKeys(e *env) (*server.Keys, error) {
	at, err := c.databases()
	if err != nil {
		return nil, err
	}
	return server.ListKeys(e.ctx, at)
}

// operator stands for whoever has the data folder, where a principal is needed.
const operator = "operator"

func asOperator(e *env, org agent.Org) context.Context {
	return agent.WithPrincipal(e.ctx, agent.Principal{UserID: operator, OrgID: org.ID, OrgSlug: org.Slug, Role: agent.RoleOrgAdmin, Tier: agent.TierAdmin, Scopes: []agent.CredentialScope{agent.ScopeAdmin}})
}

// hinted adds what to do to an error that says nothing of it.
func hinted(err error, hint string) error {
	var ours *agent.Error
	if !errors.As(err, &ours) || ours.Hint != "" {
		return err
	}
	told := *ours
	told.Hint = hint
	return &told
}

// table writes rows under a heading, in columns.
func table[T any](w io.Writer, heading string, rows []T, cells func(T) []any) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, heading)
	for _, row := range rows {
		c := cells(row)
		fmt.Fprintf(t, strings.Repeat("%v\t", len(c)-1)+"%v\n", c...)
	}
	return t.Flush()
}

// day tells when something was, in days; what never was is a dash.
func day(ms int64) string {
	if ms == 0 {
		return "-"
	}
	return time.UnixMilli(ms).UTC().Format(time.DateOnly)
}
