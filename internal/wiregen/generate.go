package main

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	agent "github.com/lossless-group/in-app-agent"
	"github.com/lossless-group/in-app-agent/internal/httpapi"
)

// payloads are the typed data of every event kind, in the order of the reference
// page. A test compares them with the kinds of the root package.
var payloads = []agent.Payload{
	agent.TurnStarted{}, agent.TextDelta{}, agent.ReasoningDelta{}, agent.CapabilityStarted{},
	agent.CapabilityProgress{}, agent.CapabilityDone{}, agent.PreviewShown{}, agent.Decided{},
	agent.StepRestarted{}, agent.Cast{}, agent.UsageReported{}, agent.BudgetWarned{}, agent.SuggestionsOffered{},
	agent.TurnCompleted{}, agent.TurnFailedData{}, agent.TurnCanceledData{}, agent.ContextCompacted{}, agent.ThreadChangedData{},
}

// shapes are the other types of the wire; what they refer to follows by itself.
var shapes = []reflect.Type{
	reflect.TypeFor[agent.ThreadView](), reflect.TypeFor[agent.Page[agent.Thread]](),
	reflect.TypeFor[agent.Page[agent.Approval]](), reflect.TypeFor[agent.Page[agent.Permission]](),
	reflect.TypeFor[agent.CacheReport](), reflect.TypeFor[agent.ThreadPatch](), reflect.TypeFor[agent.DecisionRequest](),
	reflect.TypeFor[agent.Description](), reflect.TypeFor[agent.Page[agent.KeyInfo]](),
	reflect.TypeFor[agent.StoredKey](), reflect.TypeFor[agent.SettingsView](),
	reflect.TypeFor[agent.Reminder](), reflect.TypeFor[agent.ReminderEdit](), reflect.TypeFor[agent.ReminderHistory](),
	reflect.TypeFor[agent.FeedbackNote](), reflect.TypeFor[ChatRequest](),
	reflect.TypeFor[TurnAnswer](), reflect.TypeFor[ConfirmAnswer](), reflect.TypeFor[KeyBody](),
	reflect.TypeFor[RotateBody](), reflect.TypeFor[agent.UsageReport](), reflect.TypeFor[agent.BudgetList](),
	reflect.TypeFor[RedactionBody](), reflect.TypeFor[agent.RedactionPreview](),
	reflect.TypeFor[agent.Transparency](), reflect.TypeFor[agent.OrgPolicy](), reflect.TypeFor[agent.PolicyChange](),
	reflect.TypeFor[agent.Page[agent.AuditEntry]](), reflect.TypeFor[httpapi.Problem](),
}

const heading = `// Written by internal/wiregen from the Go types. Do not edit: run "go generate ./internal/wiregen".

/** The number of the event stream; a client refuses another one. */
export const PROTOCOL_VERSION = %d;

`

// generate gives the whole file; root is the folder of the module.
func generate(root string) (string, error) {
	vocabulary, err := readSource(root)
	if err != nil {
		return "", err
	}
	wire, err := readSource(filepath.Join(root, "internal/wiregen"))
	if err != nil {
		return "", err
	}
	presenter, err := readSource(filepath.Join(root, "internal/httpapi"))
	if err != nil {
		return "", err
	}
	w := &writer{src: []source{vocabulary, wire, presenter}, seen: map[string]reflect.Type{}}
	// The event is written by hand below, as a union on its kind.
	w.seen["Event"] = reflect.TypeFor[agent.Event]()

	events, err := w.events()
	if err != nil {
		return "", err
	}
	for _, t := range shapes {
		if _, err := w.declare(t); err != nil {
			return "", err
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, heading, agent.ProtocolVersion)
	b.WriteString(strings.Join(w.out, "\n"))
	b.WriteString(events)
	b.WriteString(codes())
	b.WriteString(limits())
	b.WriteString(table())
	return b.String(), nil
}

// events declares the payloads and gives the union of events.
func (w *writer) events() (string, error) {
	for _, t := range []reflect.Type{reflect.TypeFor[agent.EventKind](), reflect.TypeFor[agent.Code]()} {
		if _, err := w.declare(t); err != nil {
			return "", err
		}
	}
	var b, kinds, terminal strings.Builder
	for _, p := range payloads {
		name, err := w.declare(reflect.TypeOf(p))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\t%s: %s;\n", quote(string(p.EventKind())), name)
		fmt.Fprintf(&kinds, "\t%s,\n", quote(string(p.EventKind())))
		if p.EventKind().Terminal() {
			fmt.Fprintf(&terminal, "\t%s,\n", quote(string(p.EventKind())))
		}
	}
	return fmt.Sprintf(eventText, b.String(), kinds.String(), terminal.String()), nil
}

const eventText = `
/** The payload of each event kind that this client knows. */
export interface EventData {
%s}

/** A kind that this client knows. */
export type KnownKind = keyof EventData;

/** What every event has; seq starts at 1 in a turn and has no gaps. */
export interface EventFrame {
	seq: number;
	/** Set on an event that stands for several: it covers from..seq. */
	from?: number;
	run: number;
	turn: TurnID;
	thread: ThreadID;
	/** Milliseconds since the Unix epoch. */
	at: number;
}

/** One event of a kind. */
export type EventOf<K extends KnownKind> = EventFrame & { kind: K; data: EventData[K] };

/** One thing that happened in a turn: a union on kind. */
export type KnownEvent = { [K in KnownKind]: EventOf<K> }[KnownKind];

/** An event as it comes: its kind may be newer than this client, which ignores it then. */
export type Event = EventFrame & { kind: EventKind; data: unknown };

/** The kinds that this client knows. */
export const EVENT_KINDS: readonly KnownKind[] = [
%s];

/** The kinds that end a turn. */
export const TERMINAL_KINDS: readonly KnownKind[] = [
%s];

/** Narrows an event to the kinds that this client knows. */
export function isKnown(event: Event): event is KnownEvent {
	return (EVENT_KINDS as readonly string[]).includes(event.kind);
}

/** Tells whether an event ends its turn. */
export function isTerminal(event: { kind: string }): boolean {
	return (TERMINAL_KINDS as readonly string[]).includes(event.kind);
}
`

func codes() string {
	var b strings.Builder
	b.WriteString("\n/** The closed list of codes with the HTTP status that carries each; 0 never is an HTTP answer. */\n")
	b.WriteString("export const CODE_STATUS: Readonly<Record<Code, number>> = {\n")
	for _, c := range agent.Codes {
		fmt.Fprintf(&b, "\t%s: %d,\n", c.Code, c.Status)
	}
	b.WriteString("};\n")
	return b.String()
}

type limitRow struct {
	name, words string
	value       int
}

func limitRows() []limitRow {
	return []limitRow{
		{"bodyBytes", "request body, bytes", agent.MaxBodyBytes},
		{"messageBytes", "text of a message, bytes", agent.MaxMessageBytes},
		{"attachments", "attachments of a message", agent.MaxAttachments},
		{"capabilities", "capabilities, and decisions in one confirm", agent.MaxCapabilities},
		{"turnsPerUser", "turns of one user that run at once", agent.MaxTurnsPerUser},
		{"eventsPerTurn", "events kept of a turn", agent.MaxEventsPerTurn},
		{"messageId", "message id, characters", agent.MaxMessageID},
		{"whitelist", "globs in tools", agent.MaxWhitelist},
		{"titleBytes", "title of a thread, bytes", agent.MaxTitleBytes},
		{"artifacts", "artifacts of a preview", agent.MaxArtifacts},
		{"artifactBytes", "one artifact, bytes", agent.MaxArtifactBytes},
		{"reminderBytes", "a reminder file, bytes", agent.MaxReminderBytes},
		{"inlineArtifactBytes", "an artifact inside its event, bytes; a larger one is fetched", agent.InlineArtifactMax},
	}
}

func limits() string {
	var b strings.Builder
	b.WriteString("\n/** Limits of requests, all in one place. */\nexport const LIMITS = {\n")
	for _, r := range limitRows() {
		fmt.Fprintf(&b, "\t%s: %d,\n", r.name, r.value)
	}
	b.WriteString("} as const;\n")
	return b.String()
}

func table() string {
	var b strings.Builder
	b.WriteString("\n/** Every operation: its client method, route under the base path, and whether it streams. */\n")
	b.WriteString("export const OPERATIONS = {\n")
	for _, op := range httpapi.Operations {
		fmt.Fprintf(&b, "\t/** %s */\n\t%s: { method: %s, path: %s, stream: %t },\n",
			does(op.Client), op.Client, quote(op.Method), quote(op.Path), op.Stream)
	}
	b.WriteString("} as const;\n\n/** The name of an operation. */\nexport type Operation = keyof typeof OPERATIONS;\n")
	return b.String()
}
