package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/server"
)

type keysCmd struct {
	Set    keysSetCmd    `cmd:"" help:"Store an org's key; the key is read from standard input, so that it stands in no history."`
	Rotate keysRotateCmd `cmd:"" name:"rotate-master" help:"Add a master key and seal every stored key anew. Works beside a running server."`
}

type keysSetCmd struct {
	common
	Org      string `required:"" help:"Slug of the org." placeholder:"SLUG"`
	Provider string `required:"" help:"Provider id: anthropic, openai, groq or one of the configuration." placeholder:"ID"`
}

// Run stores the key.
func (c *keysSetCmd) Run(e *env) error {
	line, err := bufio.NewReader(io.LimitReader(e.stdin, 4<<10)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the key: %w", err)
	}
	key := strings.TrimSpace(line)
	if len(key) < 8 || len(key) > 512 || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return usageError{&agent.Error{Code: agent.CodeInvalidInput, Message: "That is no key: it needs 8 to 512 characters on one line.",
			Hint: "Pipe it in: printf %s \"$KEY\" | in-app-agent keys set --org SLUG --provider anthropic"}}
	}
	at, err := c.databases()
	if err != nil {
		return err
	}
	k, err := server.OpenKeys(e.ctx, at)
	if err != nil {
		return err
	}
	defer func() { _ = k.Close() }()
	org, err := k.Directory.OrgBySlug(e.ctx, c.Org)
	if err != nil {
		return err
	}
	ctx := agent.WithPrincipal(e.ctx, agent.Principal{UserID: "operator", OrgID: org.ID, OrgSlug: org.Slug, Role: agent.RoleOrgAdmin, Tier: agent.TierAdmin})
	if err := k.Vault.PutOrg(ctx, c.Provider, agent.NewSecret(key)); err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "stored the %s key of %s\n", c.Provider, org.Slug)
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
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stdout, "sealed %d keys under a new master key\n", n)
	return nil
}
