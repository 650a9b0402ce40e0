package main

// doctorCmd holds the checks; each stands in a file of its own.
type doctorCmd struct {
	Cache     doctorCacheCmd     `cmd:"" help:"Say which part of the prompt changed between model calls, and what it cost."`
	Audit     doctorAuditCmd     `cmd:"" help:"Check that no row of the audit logs was changed, removed or moved."`
	Isolation doctorIsolationCmd `cmd:"" help:"Plant canaries in the corpus and look for them from every other tenant."`
}
