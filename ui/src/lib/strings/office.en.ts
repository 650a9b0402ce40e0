import type { BudgetScope, ReminderFile, ReminderVia, SegmentName } from '../protocol.gen.js';

const n = (value: number) => new Intl.NumberFormat('en').format(value);
const kib = (bytes: number) => n(Math.round((bytes / 1024) * 10) / 10);
const times = (count: number, one: string, many: string) => (count === 1 ? `1 ${one}` : `${n(count)} ${many}`);

const files: Readonly<Record<ReminderFile, string>> = {
	client_profile: 'Who we are',
	our_decisions: 'Our decisions',
	gotchas: 'Watch out'
};
const about: Readonly<Record<ReminderFile, string>> = {
	client_profile: 'Who you are and whom you work for.',
	our_decisions: 'What was decided. A newer decision takes the place of an older one of its scope.',
	gotchas: 'What went wrong before, and what to keep away from.'
};
const via: Readonly<Record<ReminderVia, string>> = {
	seed: 'as it began',
	hand: 'written by hand',
	suggestion: 'suggested by the agent, accepted',
	undo: 'taken back'
};
const scopes: Readonly<Record<BudgetScope, string>> = {
	org: 'Your organisation',
	user: 'You',
	thread: 'This conversation',
	capability: 'Capability'
};
const segments: Readonly<Record<SegmentName, string>> = {
	tools: 'the list of capabilities',
	spine: 'the fixed prompt',
	reminders: 'the reminders',
	history: 'the conversation so far',
	tail: 'the newest message'
};
const purposes: Readonly<Record<string, string>> = {
	step: 'model calls of the agent',
	generate: 'model calls of a capability',
	corpus: 'search of documents',
	embed: 'search by meaning'
};
const kinds: Readonly<Record<string, string>> = {
	email: 'e-mail address',
	phone: 'phone number',
	card: 'card number',
	iban: 'bank account',
	national_id: 'national id',
	secret: 'secret'
};

/** Words about an org: what it reminds of, what it uses, what leaves. */
export const office = {
	reminders: {
		title: 'Reminders',
		text: 'What your people said and decided. The agent reads all of it in every turn, and cannot write it without your accept.',
		files,
		about,
		via,
		empty: 'Nothing is written here yet.',
		emptyViewer: 'Nothing is written here yet. Who may edit can write it.',
		viewer: 'You can read this; who may edit can change it.',
		write: 'Write',
		edit: 'Edit',
		editing: (name: string) => `${name}, as Markdown`,
		save: 'Save',
		saving: 'Saving…',
		saved: 'Saved. The agent knows it from its next answer on.',
		cancel: 'Cancel',
		size: (bytes: number, most: number) => `${kib(bytes)} of ${kib(most)} KiB`,
		tooLong: (bytes: number, most: number) => `${kib(bytes)} of ${kib(most)} KiB: too long to save. It is in every prompt; shorten it.`,
		conflict: 'Somebody stored another version meanwhile.',
		conflictNext: 'This is what changed; your text is kept below. Put it in, or save yours over it.',
		saveMine: 'Save mine over it',
		takeTheirs: 'Keep theirs',
		history: 'History',
		version: (version: number) => `Version ${n(version)}`,
		same: 'This version changed no line.',
		restore: 'Put this text into the editor',
		older: 'Older versions'
	},
	budget: {
		title: 'Usage and budgets',
		text: 'What your model calls took this month, also with your own key.',
		scopes,
		none: 'No model call yet this month.',
		calls: (count: number) => times(count, 'model call', 'model calls'),
		unknownCost: 'Cost not known',
		unpriced: (count: number) => `${times(count, 'call has', 'calls have')} no known price and ${count === 1 ? 'is' : 'are'} missing in the sum.`,
		estimated: (count: number) => `${times(count, 'call', 'calls')} ended without a count and ${count === 1 ? 'is' : 'are'} estimated.`,
		tokens: (count: number) => `${n(count)} tokens`,
		of: (spent: string, hard: string | undefined) => (hard === undefined ? `${spent} used` : `${spent} of ${hard}`),
		held: (amount: string) => `${amount} reserved by what is running.`,
		near: (soft: string) => `Past the mark of ${soft} at which you are told.`,
		full: 'Used up: no model is asked until it renews or an admin raises it.',
		noBudget: 'No budget is set.',
		renews: (day: string) => `A new month begins on ${day} (UTC).`
	},
	leaves: {
		title: 'What leaves',
		text: 'What left the server for this conversation, and what is kept back.',
		noThread: 'Nothing yet: this conversation has not begun.',
		none: 'Nothing left the server for this conversation.',
		purposes,
		kinds,
		traffic: (requests: number, out: string, back: string) => `${times(requests, 'request', 'requests')}, ${out} out, ${back} in`,
		failed: (count: number) => `${n(count)} failed`,
		redacted: (count: number) => (count === 0 ? 'Nothing had to be replaced.' : `${times(count, 'detail', 'details')} replaced before it left.`),
		tryIt: 'See what a provider would get of a text',
		example: 'Write to ada@example.com …',
		look: 'Show',
		looking: 'Looking…',
		sees: 'A provider gets',
		asIs: 'Nothing in it is replaced.',
		found: (list: readonly string[]) => `Replaced: ${list.join(', ')}. In the answer you see the real values again.`,
		count: (kind: string, count: number) => (count === 1 ? kind : `${kind} (${n(count)})`)
	},
	cache: {
		title: 'Prompt cache',
		text: 'How much of each request the provider read from its cache, and what kept it from more.',
		noThread: 'Nothing yet: this conversation has not begun.',
		none: 'No model was asked in this conversation.',
		segments,
		call: (turn: number, step: number) => (step === 1 ? `Turn ${n(turn)}` : `Turn ${n(turn)}, step ${n(step)}`),
		read: (share: number) => `${n(Math.round(share * 100))} % from the cache`,
		changed: (names: readonly string[]) => `Changed: ${names.join(', ')}`,
		rewritten: (tokens: number) => `${n(tokens)} tokens written again`
	}
};
