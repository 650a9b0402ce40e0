package main

import (
	"reflect"

	agent "github.com/lossless-group/in-app-agent"
)

// entry is what the reference page says about one operation. What the source can
// say for itself (members that are needed, headers, statuses) is read from the
// handlers; a test compares the rest with them and with the comments of the ports.
type entry struct {
	// does says in a sentence what the operation is for, more what there is to know.
	does, more string
	query      []word
	headers    []word
	// body is the type of the request's body, nil where it takes none; needs names
	// members that are needed without the handler saying so in one word.
	body    reflect.Type
	needs   map[string]string
	answers []answer
	// errors are those besides the ones that every operation may answer.
	errors []fault
}

type word struct{ name, words string }

type answer struct {
	status int
	shape  reflect.Type // nil where words say it
	words  string
}

type fault struct {
	code  agent.Code
	words string
}

// does says what each operation of the presenter's table is for.
func does(client string) string { return entries[client].does }

// entries has an entry for each operation of the presenter's table. A test fails
// on one that is missing and on one too many.
var entries = map[string]entry{
	"chat": {
		does: "Starts a turn and streams it.",
		more: "The turn runs on without the request: a client that goes away comes back with `GET /turns/{id}/events`. " +
			"The four members `projectId`, `messages`, `model` and `tools` are enough; the others name what they leave open. " +
			"Members that are not listed here are ignored in this body, and in no other. A message to a conversation whose turn waits for a decision discards its previews. " +
			"A resend with the same `messageId` and the same content answers the same turn, so it is safe after a connection that broke.",
		headers: []word{{"Accept", "`application/json` (without `text/event-stream`) asks for 202 and the turn instead of the stream."}},
		body:    reflect.TypeFor[ChatRequest](),
		needs:   map[string]string{"text": "this or `messages`", "messages": "this or `text`"},
		answers: []answer{
			{200, nil, "the [event stream](#streams) of the turn, from its first event"},
			{202, reflect.TypeFor[TurnAnswer](), "where JSON was asked for"},
		},
		errors: []fault{
			{agent.CodeKeyRequired, "there is no key for the model; `panel` is `byok`"},
			{agent.CodeKeyInvalid, "the provider refused the key; only in the first 2 s, later it is in `turn.failed`"},
			{agent.CodeBudgetExceeded, "a budget leaves no room for the first model call; only in the first 2 s, later it is in `turn.failed`"},
			{agent.CodeForbidden, "the credential may not chat"},
			{agent.CodePolicyDenied, "the org fixed the model"},
			{agent.CodeNotFound, "project, thread, parent turn or attachment"},
			{agent.CodeTurnInProgress, "a turn of the conversation is running"},
			{agent.CodeConflict, "this `messageId` was used with another content"},
			{agent.CodeTooLarge, "the message is longer than 200 KiB"},
			{agent.CodeInvalidInput, "`pointer` names the member: an empty message, an unknown model, a glob that matches nothing, a count over its limit"},
			{agent.CodeRateLimited, "4 turns of yours are running"},
			{agent.CodeOverloaded, "the server takes no more turns just now"},
		},
	},
	"turn": {
		does:    "Gives state, last seq and open calls of a turn.",
		answers: []answer{{200, reflect.TypeFor[agent.Turn](), ""}},
		errors:  []fault{{agent.CodeNotFound, ""}},
	},
	"attach": {
		does:    "Replays a turn after a place, then tails it.",
		more:    "See [Streams](#streams) for ids and for how to come back.",
		query:   []word{{"after", "The place, `run:seq` or `seq`; absent means from the beginning. The header wins."}},
		headers: []word{{"Last-Event-ID", "The same place; a browser's `EventSource` sends it by itself."}},
		answers: []answer{
			{200, nil, "the [event stream](#streams)"},
			{204, nil, "the turn has ended and nothing is left to tell"},
		},
		errors: []fault{{agent.CodeNotFound, ""}, {agent.CodeInvalidRequest, "the place is none"}},
	},
	"cancel": {
		does:    "Stops a turn; partial text is kept.",
		more:    "The end comes on the stream as `turn.canceled`. An accepted change that has begun is not cut short. A turn that has ended stays as it is: that is no error.",
		answers: []answer{{202, reflect.TypeFor[CancelAnswer](), ""}},
		errors:  []fault{{agent.CodeNotFound, ""}},
	},
	"confirm": {
		does: "Answers previews of a turn.",
		more: "All decisions of a request are taken, or none. It answers as soon as they are taken; what they do comes on the stream. " +
			"The same answer again gives the stored outcomes. See [How a change is made](#how-a-change-is-made).",
		body:  reflect.TypeFor[agent.DecisionRequest](),
		needs: map[string]string{"decisions": "yes, 1 to 512"},
		answers: []answer{
			{200, reflect.TypeFor[ConfirmAnswer](), "with one result for each decision"},
		},
		errors: []fault{
			{agent.CodeNotFound, "the turn is not yours, or a receipt is not of its call"},
			{agent.CodeConflict, "another answer was taken before: the [Problem](#problem) has `turnId`, and `results` as in a 200, which are the stored outcomes"},
			{agent.CodeGone, "the preview has expired, or its capability is gone"},
			{agent.CodeForbidden, "tier or credential do not allow it any more"},
			{agent.CodePolicyDenied, "the org disabled the capability"},
			{agent.CodeInvalidInput, "a decision is no word of the list, a call is decided twice, or edited arguments are refused by the schema (`pointer` below `/decisions/input`)"},
		},
	},
	"undo": {
		does: "Takes an applied change back, in a turn by hand.",
		more: "The id is the call's, of a `capability.done` with `undoUntil`. The answer is the turn that takes it back: read its stream. " +
			"It ends with a `capability.done` of phase `undo`: state `undone`, or `failed` with error code `stale_undo` when what was changed has changed again since. No model is asked. It takes no body.",
		answers: []answer{{202, reflect.TypeFor[TurnAnswer](), ""}},
		errors: []fault{
			{agent.CodeNotFound, "the call is not yours"},
			{agent.CodeGone, "the window is over, or the capability cannot take anything back"},
			{agent.CodeConflict, "it was never applied, or taken back already"},
			{agent.CodeStaleUndo, "never as an answer here: it comes on the turn's stream, as said above"},
			{agent.CodeTurnInProgress, "a turn of the conversation is running or waits for a decision"},
			{agent.CodeForbidden, "tier or credential do not allow it"},
			{agent.CodePolicyDenied, "the org disabled the capability"},
			{agent.CodeRateLimited, "4 turns of yours are running"},
			{agent.CodeOverloaded, "the server takes no more turns just now"},
		},
	},
	"threads": {
		does: "Lists and searches conversations.",
		more: "Newest activity first. A page can be shorter than `limit`; `next` alone says whether there is more.",
		query: []word{
			{"projectId", "Only those of a project."},
			{"q", "Only those with this text in title or messages, at most 1,000 bytes; ASCII letters match in either case."},
			{"archived", "`true` or `1` lists the archived ones instead; absent, `false` or `0` the others."},
			{"cursor", "The `next` of the page before."},
			{"limit", "1 to 200; absent or 0 means 50."},
		},
		answers: []answer{{200, reflect.TypeFor[agent.Page[agent.Thread]](), ""}},
		errors:  []fault{{agent.CodeInvalidInput, "`limit`, `q` or `cursor`"}, {agent.CodeInvalidRequest, "a parameter of the wrong type"}},
	},
	"thread": {
		does: "Gives a conversation with its newest turns.",
		more: "`cursor` is where `GET /threads/{id}/events` goes on; `before`, when it is there, asks for the page of older turns.",
		query: []word{
			{"before", "The `before` of the page that was given last."},
			{"limit", "Turns, 1 to 100; absent or 0 means 20."},
		},
		answers: []answer{{200, reflect.TypeFor[agent.ThreadView](), ""}},
		errors:  []fault{{agent.CodeNotFound, ""}, {agent.CodeInvalidInput, "`limit`"}, {agent.CodeInvalidRequest, "a parameter of the wrong type"}},
	},
	"patchThread": {
		does:    "Renames or archives a conversation.",
		body:    reflect.TypeFor[agent.ThreadPatch](),
		answers: []answer{{200, reflect.TypeFor[agent.Thread](), ""}},
		errors:  []fault{{agent.CodeNotFound, ""}, {agent.CodeInvalidInput, "the title is empty, longer than 200 bytes or not one line"}},
	},
	"deleteThread": {
		does:    "Deletes a conversation and all that hangs on it.",
		more:    "What runs in it is stopped first.",
		answers: []answer{{204, nil, "no body"}},
		errors:  []fault{{agent.CodeNotFound, ""}},
	},
	"watchThread": {
		does:    "Streams every turn of a conversation after a cursor.",
		query:   []word{{"after", "The place, `turn:run:seq` or `turn:seq`; absent means from the first turn. The header wins."}},
		headers: []word{{"Last-Event-ID", "The same place."}},
		answers: []answer{{200, nil, "the [event stream](#streams); it does not end by itself"}},
		errors:  []fault{{agent.CodeNotFound, "the conversation, or the turn of the place"}, {agent.CodeInvalidRequest, "the place is none"}, {agent.CodeInvalidInput, ""}},
	},
	"exportThread": {
		does:  "Gives a conversation as a file.",
		query: []word{{"format", "`md` (the default) to read, or `json` with everything that is kept."}},
		answers: []answer{{200, nil, "the file, as an attachment of type `text/markdown` or `application/json`; the JSON has " +
			"`protocol`, `exportedAt`, `thread` ([Thread](#thread)), `turns` (list of [TurnView](#turnview)) and `transcript`"}},
		errors: []fault{{agent.CodeNotFound, ""}, {agent.CodeInvalidInput, "`format`"}, {agent.CodeTooLarge, "the file would be over 16 MiB"}},
	},
	"threadCache": {
		does: "Says how the provider's prompt cache was used in a conversation.",
		more: "For each model call of its newest turns: the hashes of the parts of its prompt, which of them changed since the call before and why, and what that cost. " +
			"A finding that is not `expected` is a fault of the app or of the server.",
		query: []word{
			{"before", "Id of a turn: gives those before it. Absent means the newest."},
			{"limit", "How many turns, 1 to 100; absent or 0 means 20."},
		},
		answers: []answer{{200, reflect.TypeFor[agent.CacheReport](), ""}},
		errors: []fault{{agent.CodeNotFound, "the conversation, or the turn of `before`"}, {agent.CodeInvalidInput, "`limit` is over 100"},
			{agent.CodeInvalidRequest, "`limit` is no number"}},
	},
	"approvals": {
		does: "Lists every preview that waits for the caller, newest first.",
		more: "An inbox of all of the caller's conversations. A page can be shorter than `limit`; `next` alone says whether there is more.",
		query: []word{
			{"cursor", "The `next` of the page before."},
			{"limit", "1 to 200; absent or 0 means 50."},
		},
		answers: []answer{{200, reflect.TypeFor[agent.Page[agent.Approval]](), ""}},
		errors:  []fault{{agent.CodeInvalidInput, "`limit` or `cursor`"}, {agent.CodeInvalidRequest, "a parameter of the wrong type"}},
	},
	"usage": {
		does:    "Tells what the caller's model calls of a month used, and how far the budgets of caller and org are used.",
		more:    "A call whose price or count is not known is counted as such and is missing in the cost.",
		query:   []word{{"month", "A month (UTC) such as `2026-01`; absent means this one."}},
		answers: []answer{{200, reflect.TypeFor[agent.UsageReport](), ""}},
		errors:  []fault{{agent.CodeInvalidInput, "`month`"}},
	},
	"transparency": {
		does:    "Tells what left this machine on behalf of a conversation: to which hosts, what for, how much, and how much of it was redacted.",
		query:   []word{{"threadId", "The conversation; needed."}},
		answers: []answer{{200, reflect.TypeFor[agent.Transparency](), ""}},
		errors:  []fault{{agent.CodeNotFound, ""}, {agent.CodeInvalidInput, "`threadId` is missing"}},
	},
	"adminUsage": {
		does:    "Tells what the org's model calls of a month used, by model, user and capability, and how far its budgets are used.",
		more:    "At most 1,000 lines of each, the dearest first.",
		query:   []word{{"month", "A month (UTC) such as `2026-01`; absent means this one."}},
		answers: []answer{{200, reflect.TypeFor[agent.UsageReport](), ""}},
		errors:  []fault{{agent.CodeForbidden, "the caller is no admin of the org"}, {agent.CodeInvalidInput, "`month`"}},
	},
	"budgets": {
		does:    "Lists the budgets of the org.",
		answers: []answer{{200, reflect.TypeFor[agent.BudgetList](), ""}},
		errors:  []fault{{agent.CodeForbidden, "the caller is no admin of the org"}},
	},
	"putBudgets": {
		does:    "Replaces the budgets of the org.",
		more:    "They hold from the next model call on; what was spent this month counts. Users are told of soft caps anew.",
		body:    reflect.TypeFor[agent.BudgetList](),
		needs:   map[string]string{"items": "yes; an empty list takes every budget away"},
		answers: []answer{{200, reflect.TypeFor[agent.BudgetList](), ""}},
		errors: []fault{
			{agent.CodeForbidden, "the caller is no admin of the org"},
			{agent.CodeInvalidInput, "`pointer` names the member: an unknown scope, a missing subject, a cap that is none, a budget that stands twice, more than 500"},
		},
	},
	"permissions": {
		does: "Lists what the caller had remembered as “always allow”, newest first.",
		query: []word{
			{"cursor", "The `next` of the page before."},
			{"limit", "1 to 200; absent or 0 means 50."},
		},
		answers: []answer{{200, reflect.TypeFor[agent.Page[agent.Permission]](), ""}},
		errors:  []fault{{agent.CodeInvalidInput, "`limit` or `cursor`"}, {agent.CodeInvalidRequest, "a parameter of the wrong type"}},
	},
	"revokePermission": {
		does:    "Ends one at once.",
		more:    "Also for turns that run: the next call of theirs that it would have let through waits for its user.",
		answers: []answer{{204, nil, "no body"}},
		errors:  []fault{{agent.CodeNotFound, ""}},
	},
	"capabilities": {
		does:    "Tells what this caller may use here.",
		answers: []answer{{200, reflect.TypeFor[agent.Description](), ""}},
		errors:  nil,
	},
	"listKeys": {
		does:    "Lists the caller's keys, masked.",
		answers: []answer{{200, reflect.TypeFor[agent.Page[agent.KeyInfo]](), "one page; `next` is never set"}},
	},
	"setKey": {
		does: "Tests and stores a key.",
		more: "One real model call tests it. A key with the same provider and label is replaced. A provider that does not answer does not keep a key from being stored: `test.ok` is false then.",
		body: reflect.TypeFor[KeyBody](),
		answers: []answer{
			{201, reflect.TypeFor[agent.StoredKey](), ""},
		},
		errors: keyErrors,
	},
	"rotateKey": {
		does:    "Replaces the bytes of a key.",
		more:    "It is tested and stored as a new one is; it has a new id.",
		body:    reflect.TypeFor[RotateBody](),
		answers: []answer{{200, reflect.TypeFor[agent.StoredKey](), ""}},
		errors:  append([]fault{{agent.CodeNotFound, ""}}, keyErrors...),
	},
	"revokeKey": {
		does:    "Ends a key at once.",
		more:    "Also for turns that run: their next model call fails with `key_required`.",
		answers: []answer{{204, nil, "no body"}},
		errors:  []fault{{agent.CodeNotFound, ""}},
	},
	"testKey": {
		does:    "Makes one real call with a key.",
		answers: []answer{{200, reflect.TypeFor[agent.KeyTest](), "also where the test failed: `ok` is false then"}},
		errors:  []fault{{agent.CodeNotFound, ""}, {agent.CodeRateLimited, "1 test at once, 10 a minute"}},
	},
	"settings": {
		does:    "Gives settings with what can be chosen.",
		answers: []answer{{200, reflect.TypeFor[agent.SettingsView](), ""}},
	},
	"putSettings": {
		does:    "Stores settings.",
		more:    "It replaces both: a member that is not sent is set to `\"\"`.",
		body:    reflect.TypeFor[agent.UserSettings](),
		answers: []answer{{200, reflect.TypeFor[agent.SettingsView](), ""}},
		errors:  []fault{{agent.CodeInvalidInput, "an unknown model or mode"}, {agent.CodePolicyDenied, "the org fixed the model"}},
	},
	"reminder": {
		does:    "Gives a reminder file of the caller's org.",
		more:    "The files are `client_profile`, `our_decisions` and `gotchas`. A file that nobody has written yet has version 0 and no text.",
		query:   []word{{"version", "A version of the history; absent or 0 means the newest."}},
		answers: []answer{{200, reflect.TypeFor[agent.Reminder](), ""}},
		errors:  []fault{{agent.CodeNotFound, "the file or the version"}, {agent.CodeInvalidRequest, "a parameter of the wrong type"}},
	},
	"putReminder": {
		does:    "Stores a new version of a reminder file.",
		more:    "It is in the prompt of every later turn of the org. A text that is the same as the newest makes no version.",
		body:    reflect.TypeFor[agent.ReminderEdit](),
		needs:   map[string]string{"text": "yes; `\"\"` empties the file"},
		answers: []answer{{200, reflect.TypeFor[agent.Reminder](), "as it is kept: lines end with a newline, and nothing blank stands at the end"}},
		errors: []fault{
			{agent.CodeNotFound, "there is no such file"},
			{agent.CodeForbidden, "a viewer, or a credential without the scope `approve`"},
			{agent.CodeConflict, "somebody stored another version since: read the file again and put the change in"},
			{agent.CodeTooLarge, "the text is longer than 16 KiB"},
			{agent.CodeInvalidInput, "a member is missing, the version is negative, or the text has characters that nobody can see"},
		},
	},
	"reminderHistory": {
		does: "Lists the versions of a reminder file, newest first, and compares two.",
		query: []word{
			{"before", "The `next` of the page before."},
			{"limit", "1 to 200; absent or 0 means 50."},
			{"from", "Adds the difference of this version and `to`; 0 is the empty file. Absent, with `to`, it is the version before that."},
			{"to", "The other version to compare; absent or 0 means the newest."},
		},
		answers: []answer{{200, reflect.TypeFor[agent.ReminderHistory](), ""}},
		errors:  []fault{{agent.CodeNotFound, "the file or a version"}, {agent.CodeInvalidInput, "`limit`"}, {agent.CodeInvalidRequest, "a parameter of the wrong type"}},
	},
	"feedback": {
		does:    "Keeps a thumb and a note on a turn.",
		more:    "A later one replaces it.",
		body:    reflect.TypeFor[agent.FeedbackNote](),
		answers: []answer{{204, nil, "no body"}},
		errors:  []fault{{agent.CodeNotFound, ""}, {agent.CodeInvalidInput, "an unknown thumb, or a note over 4 KiB"}},
	},
	"previewRedaction": {
		does: "Shows a text as a provider would see it.",
		more: "By the rules of the org's policy, in a new conversation; nothing is stored and nothing leaves. " +
			"In a conversation that goes on, numbers go on too: the same value has the same placeholder there.",
		body:    reflect.TypeFor[RedactionBody](),
		answers: []answer{{200, reflect.TypeFor[agent.RedactionPreview](), ""}},
		errors: []fault{
			{agent.CodeInvalidInput, "there is no text, or it is none"},
			{agent.CodeTooLarge, "the text is longer than 200 KiB"},
			{agent.CodePolicyDenied, "the org's rules cannot be used; no message leaves either"},
		},
	},
	"artifact": {
		does:    "Gives a stored artifact of a preview.",
		more:    "The digest is that of an [Artifact](#artifact) without `text`. HTML and SVG come as plain text or bytes, so that no browser runs them in the server's origin.",
		answers: []answer{{200, nil, "the bytes, as an attachment"}},
		errors:  []fault{{agent.CodeNotFound, ""}},
	},
	"policy": {
		does:    "Gives the policy of the org, to its admins.",
		answers: []answer{{200, reflect.TypeFor[agent.OrgPolicy](), ""}},
		errors:  []fault{{agent.CodeForbidden, "the caller is no admin of the org"}},
	},
	"putPolicy": {
		does: "Changes the policy of the org.",
		more: "`set` holds members of the [OrgPolicy](#orgpolicy) with their new values; the others stay, and `version` and `billing` cannot be set. " +
			"The change is in force when it is answered, also for previews that wait: one of a capability that is disabled now can be discarded and no longer accepted. It is recorded in the audit log.",
		body:    reflect.TypeFor[agent.PolicyChange](),
		needs:   map[string]string{"version": "yes", "set": "yes"},
		answers: []answer{{200, reflect.TypeFor[agent.OrgPolicy](), "as it is now"}},
		errors: []fault{
			{agent.CodeForbidden, "the caller is no admin of the org"},
			{agent.CodeConflict, "the policy has another version by now: read it again"},
			{agent.CodeInvalidInput, "`pointer` names the member: an unknown capability or model, a word of no list, a number over its limit"},
		},
	},
	"audit": {
		does: "Lists the audit log of the org, newest first.",
		more: "It tells of changes of the policy, of keys that came and went (never of their bytes), of permissions, of previews that were answered by a link, of deleted conversations (the fact alone), of what a superuser looked at and of searches across clients that reached the org. Logins are not in it.",
		query: []word{
			{"cursor", "The `next` of the page before."},
			{"limit", "1 to 200; absent or 0 means 50."},
		},
		answers: []answer{{200, reflect.TypeFor[agent.Page[agent.AuditEntry]](), ""}},
		errors: []fault{
			{agent.CodeForbidden, "the caller is no admin of the org"},
			{agent.CodeInvalidInput, "`limit` or `cursor`"}, {agent.CodeInvalidRequest, "a parameter of the wrong type"},
		},
	},
	"exportAudit": {
		does:    "Gives the whole audit log of the org as a file, oldest row first.",
		more:    "Its last line is an anchor: kept elsewhere, it lets `in-app-agent doctor audit` prove that nothing before it was changed or taken away. An answer that breaks off is not the whole log.",
		answers: []answer{{200, nil, "an [AuditEntry](#auditentry) a line, as an attachment of type `application/x-ndjson`"}},
		errors:  []fault{{agent.CodeForbidden, "the caller is no admin of the org"}},
	},
}

var keyErrors = []fault{
	{agent.CodeKeyInvalid, "the provider does not accept the key; it was not stored"},
	{agent.CodeInvalidInput, "provider, label or key; a key of another provider's form; the 51st key"},
	{agent.CodeForbidden, "a viewer has no keys"},
	{agent.CodeRateLimited, "1 test at once, 10 a minute"},
}

// always are the errors that any operation may answer.
var always = []fault{
	{agent.CodeInvalidRequest, "the body is no JSON of the right shape: a wrong type, an unknown or a repeated member; `pointer` names it"},
	{agent.CodeUnauthenticated, "there is no session, or it has ended; `WWW-Authenticate: Bearer`"},
	{agent.CodeForbidden, "a page of another site sent it (see [Credentials](#credentials))"},
	{agent.CodeNotFound, "there is no such address, or the id is not yours"},
	{agent.CodeTooLarge, "the body is over 1 MiB"},
	{agent.CodeUnsupportedMedia, "the body is not `application/json` in UTF-8, or is compressed"},
	{agent.CodeRateLimited, "too many streams are open; `Retry-After`"},
	{agent.CodeInternal, "our fault; the log has it under `requestId`"},
	{agent.CodeUnavailable, "the server is stopping, or a part of it is away; `Retry-After` where known"},
	{agent.CodeStorageBusy, "the database is busy: try again; `Retry-After`"},
	{agent.CodeStorageFull, "the disk is full: nothing was stored"},
}
