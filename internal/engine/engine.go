// Package engine is the road that a turn travels: accepted, run step by step,
// parked at a preview, resumed by a decision, ended. It keeps what it promises in
// docs/turn.md: milestones are written before they are told, text is told and
// then written; a turn outlives its tab, its connection and its process; a
// decision is taken once; every call in the history has exactly one result.
package engine

import (
	"context"
	"log/slog"
	"runtime"
	"sync"
	"time"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/capability"
	"github.com/lossless-group/in-app-agent/internal/prompt"
)

// Store is what the engine keeps turns in.
type Store interface {
	agent.Journal
	agent.Compactions
	agent.Committer
	agent.EventLog
	agent.Owners
	agent.Receipts
	agent.PermissionRows
	agent.ThreadRows
	agent.SettingsRows
	agent.Policies
	agent.BudgetLedger
	agent.EgressRows
}

// Members gives a person's principal as it is now, for a run without its request.
type Members interface {
	// Member is agent.Sessions.Member.
	Member(ctx context.Context, userID, orgID string) (agent.Principal, error)
}

// Config is all that an engine is made of. Every field without "optional" is needed.
type Config struct {
	App      string
	Store    Store
	Members  Members
	Registry *capability.Registry
	Models   agent.Models
	Vault    agent.KeyVault
	Host     agent.Host
	// Reminders are the org's files for the prompt; optional.
	Reminders Reminders
	// Redactions keeps what placeholders stand for, for the rules of the org's policy.
	Redactions agent.RedactionMaps
	Now        func() time.Time
	IDs        agent.IDSource
	Log        *slog.Logger
	// Jobs opens the engine for jobs alone: it takes up no turn that was left, and
	// starts none; no model is asked.
	Jobs bool
	// Prices is optional: without it no price is known, so a hard cap on money refuses.
	Prices agent.Prices
	Limits Limits // optional; zero fields mean the defaults
}

// Limits bounds what a turn may take.
type Limits struct {
	Steps        int           // model calls a turn; 24
	Calls        int           // capability calls a turn; 64
	Refusals     int           // answers in a row that ask only for what is refused; 3
	TurnTime     time.Duration // active time a turn; 15 min
	CallTime     time.Duration // one handler; 60 s
	PreviewLife  time.Duration // how long a preview can be answered; 7 days
	TokensOut    int64         // output tokens a turn, where reported; 200,000
	StepTokens   int           // output tokens a step; 8,192
	Attempts     int           // model calls a step; 3
	RetryWait    time.Duration // waiting for the provider a step; 30 s
	TurnsPerUser int           // turns that run at once; agent.MaxTurnsPerUser
	Turns        int           // turns of everybody that run at once here; 2,000
	Starts       int           // messages that are looked at at once here, before they are accepted; 4 a core
	BudgetWait   time.Duration // for running calls that hold a budget; 15 s
	StartWait    time.Duration // how long a message waits to be looked at; 2 s
}

func (l Limits) withDefaults() Limits {
	def := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	dur := func(v *time.Duration, d time.Duration) {
		if *v == 0 {
			*v = d
		}
	}
	def(&l.Steps, 24)
	def(&l.Calls, capability.DefaultCalls)
	def(&l.Refusals, 3)
	def(&l.StepTokens, 8192)
	def(&l.Attempts, 3)
	def(&l.TurnsPerUser, agent.MaxTurnsPerUser)
	def(&l.Turns, 2000)
	def(&l.Starts, 4*runtime.GOMAXPROCS(0))
	dur(&l.TurnTime, 15*time.Minute)
	dur(&l.CallTime, time.Minute)
	dur(&l.PreviewLife, 7*24*time.Hour)
	dur(&l.RetryWait, 30*time.Second)
	dur(&l.StartWait, 2*time.Second)
	dur(&l.BudgetWait, 15*time.Second)
	if l.TokensOut == 0 {
		l.TokensOut = 200_000
	}
	return l
}

// Engine implements agent.Agent.
type Engine struct {
	Config
	owner string
	hub   hub

	ctx    context.Context // ends with Close
	cancel context.CancelCauseFunc
	work   sync.WaitGroup // calls that may start a run, and runs
	loops  sync.WaitGroup // writer and owner renewal
	stop   chan struct{}  // ends the loops
	dirty  chan struct{}  // wakes the writer
	lose   chan struct{}  // wakes the search for lost turns

	load *load
	// compose is prompt.Compose; a test plants faults in it.
	compose func(prompt.Input) agent.ModelRequest

	mu   sync.Mutex
	live map[agent.TurnID]*live
	busy map[string]int // running turns by org and user
	// adopted counts how often a turn was taken up here, until it ends.
	adopted map[agent.TurnID]int
}

var _ agent.Agent = (*Engine)(nil)

// New makes an engine, registers its process as an owner and takes up the turns
// that a dead process left running. Close ends it. Errors: what the store says.
func New(ctx context.Context, cfg Config) (*Engine, error) {
	cfg.Limits = cfg.Limits.withDefaults()
	e := &Engine{
		Config: cfg,
		owner:  cfg.IDs("owner"),
		stop:   make(chan struct{}),
		dirty:  make(chan struct{}, 1),
		lose:   make(chan struct{}, 1),
		live:   map[agent.TurnID]*live{},
		busy:   map[string]int{},
		load:   newLoad(cfg.Limits.Starts),

		compose: prompt.Compose,
		adopted: map[agent.TurnID]int{},
	}
	e.ctx, e.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	if err := cfg.Store.RegisterOwner(ctx, e.owner, e.at()); err != nil {
		return nil, err
	}
	e.loops.Go(e.writeLoop)
	e.loops.Go(e.paceLoop)
	e.loops.Go(e.renewLoop)
	if cfg.Jobs {
		return e, nil
	}
	e.loops.Go(e.reclaimLoop)
	if err := e.sweep(ctx); err != nil {
		e.Close(ctx)
		return nil, err
	}
	return e, nil
}

func (e *Engine) at() int64 { return e.Now().UnixMilli() }

// renewLoop renews the owner's row each second, so that a shared database can
// tell a dead process from a slow one.
func (e *Engine) renewLoop() {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-e.stop:
			return
		case <-tick.C:
			if err := e.Store.RenewOwner(e.ctx, e.owner, e.at()); err != nil && e.ctx.Err() == nil {
				e.Log.Warn("the owner's row was not renewed", "error", err)
			}
		}
	}
}

// Describe tells what this caller may use here.
func (e *Engine) Describe(ctx context.Context) (agent.Description, error) {
	p, err := agent.PrincipalFrom(ctx)
	if err != nil {
		return agent.Description{}, err
	}
	policy, err := e.Store.Policy(ctx)
	if err != nil {
		return agent.Description{}, err
	}
	d := agent.Description{
		App: e.App, Protocol: agent.ProtocolVersion, SpineHash: prompt.SpineHash(), Models: e.Models.List(),
		User: agent.UserInfo{ID: p.UserID, Name: p.UserName, Org: p.OrgSlug, Tier: p.Tier, Billing: p.Billing},
	}
	for _, name := range e.offer(p, policy, nil) {
		c, _ := e.Registry.Get(name)
		d.Capabilities = append(d.Capabilities, agent.CapabilityInfo{
			Name: c.Name, Title: c.Title, Description: c.Description, Kind: c.Kind, RequiredTier: c.RequiredTier,
			RequiresConfirmation: c.RequiresConfirmation, Shared: c.Shared, Input: c.Input,
		})
	}
	return d, nil
}
