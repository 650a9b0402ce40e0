package main

import (
	"fmt"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/corpus/chroma"
)

type migrateCmd struct {
	Chroma migrateChromaCmd `cmd:"" help:"Copy the collections of a Chroma server's default tenant into the tenant that every org may read."`
}

type migrateChromaCmd struct {
	common
	FromTenant   string `default:"default_tenant" help:"The tenant that the collections are in."`
	FromDatabase string `default:"default_database" help:"The database that they are in."`
}

// Run copies what is there of the collections that may be taken over, and says of each
// what became of it.
func (c *migrateChromaCmd) Run(e *env) error {
	corpus, done, err := c.openCorpus()
	if err != nil {
		return err
	}
	defer func() { _ = done() }()
	server, ok := corpus.(*chroma.Corpus)
	if !ok {
		return &agent.Error{Code: agent.CodeInvalidInput, Message: "No Chroma server is configured, so there is nothing to take over.",
			Hint: "Name its address in the configuration, as corpus in docs/guides/operate.md, and give --config."}
	}
	total := 0
	for _, name := range chroma.Movable {
		from := agent.Scope{Tenant: c.FromTenant, Database: c.FromDatabase, Collection: name}
		m, err := server.Migrate(e.ctx, from, func(done, all int) { fmt.Fprintf(e.stderr, "%s: %d of %d rows\n", name, done, all) })
		if err != nil {
			return hinted(err, "Run the same command again: it goes on where it was.")
		}
		if !m.Found {
			fmt.Fprintf(e.stdout, "%s: not there\n", name)
			continue
		}
		total += m.Rows
		fmt.Fprintf(e.stdout, "%s: %d rows, all of them in %s\n", name, m.Rows, agent.GlobalTenant)
	}
	fmt.Fprintf(e.stdout, "%d rows. The old collections are as they were; remove them when nothing reads them any more.\n", total)
	return nil
}
