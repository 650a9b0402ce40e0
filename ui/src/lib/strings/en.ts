import type { Verdict } from '../protocol.gen.js';
import { codes } from './codes.en.js';
import { office } from './office.en.js';

const n = (value: number) => new Intl.NumberFormat('en').format(value);

const PROVIDERS: Readonly<Record<string, string>> = {
	anthropic: 'Anthropic',
	openai: 'OpenAI',
	groq: 'Groq',
	scripted: 'Scripted'
};

const MINE = { accept: 'Accept', discard: 'Discard', edit: 'Edit' };
const TAKEN: Readonly<Record<Verdict, string>> = {
	accepted: 'accepted',
	discarded: 'discarded',
	edited: 'edited',
	expired: 'ended, because its time was over,',
	stale: 'accepted'
};
const WHERE = {
	tab: 'in another tab or on another device',
	other: 'by somebody else',
	message: 'by a newer message'
};

/** Every word that the panel shows, in English. Another language is another object of this form. */
export const en = {
	lang: 'en',
	codes,
	requestId: (id: string) => `Request ${id}`,

	chat: {
		label: 'Chat with the agent',
		newThread: 'New conversation',
		switch: (title: string) => `Switch conversation: ${title}`,
		untitled: 'New conversation',
		conversations: 'Conversations',
		settings: 'Settings',
		close: 'Close',
		back: 'Back',
		loading: 'Loading the conversation…',
		goneNext: 'Start a new conversation.',
		loadFailed: 'The conversation could not be loaded.',
		retry: 'Try again',
		emptyTitle: (app: string) => (app ? `What shall we do in ${app}?` : 'What shall we do?'),
		noKeyTitle: 'No model key yet',
		noKeyText:
			'Your organisation has no key for the model. Add your own to begin; what you write is kept.',
		emptyText:
			'Say it in your own words. Changes are shown first and happen only when you accept them.',
		deleted: 'This conversation was deleted.',
		earlier: 'Earlier messages',
		latest: 'Jump to latest',
		messages: 'Messages'
	},

	line: {
		offline: 'You are offline. Your draft is kept.',
		reconnecting: 'Connection lost. Reconnecting…',
		held: (via?: string) =>
			via
				? `A proxy (${via}) seems to hold the answer back; it may come in bursts.`
				: 'A proxy between you and the server seems to hold the answer back; it may come in bursts.',
		slow: 'Still waiting for the first word…'
	},

	scripted: {
		badge: 'Scripted model',
		paid: 'Scripted model: no key, no cost',
		text: 'Answers follow a script: no key, no cost.'
	},

	composer: {
		label: 'Message',
		placeholder: 'Ask, or type @ to attach',
		send: 'Send',
		stop: 'Stop',
		stopping: 'Stopping…',
		queue: 'Send next',
		queued: 'Sent when this answer is finished:',
		unqueue: 'Take back',
		attach: 'Attach',
		attachments: 'Attached',
		remove: (title: string) => `Remove ${title}`,
		noMatch: 'Nothing matches.',
		supersedes: 'Sending discards the change that waits for you.',
		tooLong: (bytes: number, most: number) =>
			`${n(Math.ceil(bytes / 1024))} of ${n(most / 1024)} KiB: too long to send. Shorten it.`,
		nearlyFull: (bytes: number, most: number) =>
			`${n(Math.ceil(bytes / 1024))} of ${n(most / 1024)} KiB`,
		tooMany: (most: number) => `At most ${n(most)} things can be attached.`,
		editing: 'Editing your last message',
		cancelEdit: 'Cancel',
		hint: 'Enter sends, Shift+Enter makes a new line',
		toChange: 'Arrow up goes to the change that waits'
	},

	turn: {
		you: 'You',
		agent: 'Agent',
		thinking: 'Thinking…',
		reasoning: 'Reasoning',
		sending: 'Sending…',
		unsent: 'Not sent.',
		resend: 'Send again',
		unsentNext: 'Check your connection; your message is kept.',
		discardUnsent: 'Remove',
		stopped: 'Stopped. What was written is kept.',
		superseded: 'Replaced by a newer message.',
		deletedWhile: 'The conversation was deleted.',
		restarted: 'The server was interrupted; this part is asked again.',
		compacted: (turns: number) =>
			turns > 0
				? `The model reads the first ${turns === 1 ? 'turn' : `${n(turns)} turns`} in a shorter form from here on. Nothing is lost: all of it stays here and can be searched.`
				: 'Long results were shortened for the model. Nothing is lost: all of it stays here.',
		openUsage: 'See what is used',
		copy: 'Copy',
		copied: 'Copied',
		edit: 'Edit',
		regenerate: 'Ask again',
		good: 'Good answer',
		bad: 'Bad answer',
		thanks: 'Thank you.',
		details: 'Details',
		addKey: 'Add a key',
		openSettings: 'Open settings',
		unsentSignedOut: 'Sent once you are signed in'
	},

	signedOut: {
		title: 'You are signed out',
		text: 'What you write is kept. Sign in, and it goes on here.',
		signIn: 'Sign in',
		signingIn: 'Signing in…',
		reload: 'Reload to sign in',
		still: 'You are still signed out. Try again.',
		failed: 'Signing in did not work. Try again.'
	},

	paid: {
		none: 'no key',
		org: 'your organisation’s key',
		'user-byok': 'your own key',
		'user-byok-local': 'your own key on this device'
	},

	usage: {
		in: 'Tokens in',
		out: 'Tokens out',
		cacheRead: 'Read from cache',
		cacheCreation: 'Written to cache',
		cost: 'Cost',
		time: 'Time',
		calls: 'Model calls',
		unknown: 'not reported',
		free: 'none',
		number: n,
		money: (usd: number) =>
			new Intl.NumberFormat('en', {
				style: 'currency',
				currency: 'USD',
				maximumFractionDigits: 4
			}).format(usd)
	},

	call: {
		running: 'running',
		waiting: 'needs your approval',
		applying: 'applying…',
		done: 'done',
		applied: 'applied',
		discarded: 'discarded',
		edited: 'edited',
		failed: 'failed',
		unknown: 'outcome unknown',
		stopped: 'stopped',
		input: 'Input',
		output: 'Output',
		error: 'Error',
		seconds: (ms: number) =>
			ms < 1000 ? `${n(Math.round(ms))} ms` : `${n(Math.round(ms / 100) / 10)} s`
	},

	sources: {
		title: 'Sources',
		open: (title: string) => `Source: ${title}`,
		cut: 'The passage goes on in its source.'
	},

	preview: {
		title: 'Proposed change',
		nothingYet: 'Nothing has changed yet.',
		accept: 'Accept',
		discard: 'Discard',
		edit: 'Edit',
		accepting: 'Accepting…',
		discarding: 'Discarding…',
		keys: (key: string) => `Press ${key} while the change itself has the focus`,
		acceptAll: (count: number) => `Accept all ${n(count)}`,
		discardAll: 'Discard all',
		left: (open: number, all: number) => `${n(open)} of ${n(all)} waiting`,
		review: 'Changes to review',
		nextOne: 'Next change',
		previousOne: 'Previous change',
		finishEdit: 'Finish or cancel your edit first',
		expires: (when: string) => `Can be accepted until ${when}`,
		accepted: 'Accepted',
		discarded: 'Discarded',
		edited: 'Edited. The preview of your edit follows.',
		expired: 'Expired. Nothing was applied.',
		remaking:
			'Not accepted: the app has changed since you saw this. Nothing was applied. A new preview is being made…',
		moved:
			'Not accepted: the app has changed since you saw this. Nothing was applied. This is the new preview, with what you saw for comparison; your answer counts for the new one.',
		reshaped: 'This is the change with your edits. Nothing was applied before.',
		unworkable: (why: string) => `Your edit could not be previewed. ${why} This is the change as it was before. Nothing was applied.`.replace('  ', ' '),
		saw: 'What you saw',
		sawNth: (nth: number) => `What you saw (${n(nth)})`,
		now: 'What it is now',
		beforeEdit: 'Before your edit',
		withEdit: 'With your edit',
		both: 'Both',
		versions: 'Versions of this change',
		yourEdits: 'What you changed',
		empty: 'nothing',
		closed: 'Not answered. Nothing was applied.',
		movedAway: 'Accepted, but not applied: the app has changed since, and the change could not be made again.',
		elsewhere: (taken: Verdict, where: 'tab' | 'other' | 'message') => `This was already ${TAKEN[taken]} ${WHERE[where]}.`,
		notTaken: (mine: 'accept' | 'discard' | 'edit') => `Your “${MINE[mine]}” was not taken.`,
		notSent: 'Your answer was not sent.',
		notSentNext: 'The server cannot be reached. Try again when the connection is back.',
		proposed: 'Your answer was passed on; somebody with the right to approve has to accept it.',
		superseded: 'Discarded by a newer message.',
		applied: 'Applied.',
		applying: 'Applying…',
		failed: 'Accepted, but it could not be applied.',
		unknown: 'It is not known whether this change was made.',
		unknownNext:
			'The app did not answer, and nothing is tried a second time by itself. Look there before you ask for it again:',
		undo: 'Undo',
		undoing: 'Undoing…',
		undone: 'Undone.',
		undoLeft: (ms: number) =>
			ms < 60_000
				? 'less than a minute left'
				: ms < 3_600_000
					? `${n(Math.floor(ms / 60_000))} min left`
					: `${n(Math.floor(ms / 3_600_000))} h left`,
		undoIdle: 'once nothing runs or waits here',
		undoLater: 'Can be undone when nothing runs or waits here.',
		undoUnsent: 'Your undo was not sent.',
		undoUnsentNext: 'The server cannot be reached. Undo again when the connection is back.',
		undoGone: 'The time to take this change back is over.',
		undoGoneNext: 'Ask for the opposite change instead.',
		stillApplied: 'Still applied: it was not undone.',
		undoUnknown: 'It is not known whether this was undone. Look in the app before you do anything else.',
		arguments: 'Exact input',
		artifacts: 'What would change',
		past: 'Look at the change'
	},

	edit: {
		title: 'Edit before you accept',
		text: 'You get a new preview of what you write here. Nothing is applied until you accept that one.',
		send: 'Preview my edit',
		sending: 'Checking…',
		notSent: 'Your edit was not sent.',
		cancel: 'Cancel',
		was: (value: string) => `was: ${value}`,
		optional: 'may be left out',
		unset: 'not set',
		yes: 'Yes',
		no: 'No',
		json: 'Written as JSON',
		faults: {
			required: 'This is needed.',
			number: 'Write a number.',
			whole: 'Write a whole number.',
			json: 'This is not JSON.'
		},
		range: (min: number | undefined, max: number | undefined) =>
			min === undefined
				? `At most ${n(max ?? 0)}.`
				: max === undefined
					? `At least ${n(min)}.`
					: `Between ${n(min)} and ${n(max)}.`
	},

	hand: {
		undoing: (summary: string) => `Undoing: ${summary}`,
		undone: (summary: string) => `You undid: ${summary}`,
		stale: (summary: string) => `Not undone, because it has changed since: ${summary}`,
		failed: (summary: string) => `Not undone: ${summary}`,
		unknown: (summary: string) => `It is not known whether this was undone: ${summary}`,
		unknownNext: 'Look in the app before you do anything else.'
	},

	rules: {
		title: 'Always allowed',
		text: 'This is done without asking you. Whatever goes beyond it is asked for as before.',
		none: 'Nothing yet. Where a proposed change may be remembered, “Always allow…” stands beside its Accept.',
		loading: 'Loading what is always allowed…',
		always: 'Always allow…',
		question: 'Always allow this?',
		explain: 'The agent then does the same without asking you. Whatever goes beyond it is asked for as before.',
		what: 'What',
		on: 'Only on',
		args: 'Only with',
		until: 'Until',
		uses: 'Used',
		days: (count: number) => `${count === 1 ? 'a day' : `${n(count)} days`} from now, or until you revoke it`,
		exact: 'See and revoke it in Settings.',
		confirm: 'Accept and always allow',
		cancel: 'Cancel',
		remembered: 'Always allowed from now on.',
		showNew: 'See in Settings',
		byRule: 'Allowed by your rule.',
		show: 'See or revoke it',
		anything: 'anything',
		nothing: 'no arguments',
		atMost: (most: number) => `at most ${n(most)}`,
		more: (count: number) => `${n(count)} more`,
		here: (names: string) => `${names}, in this project`,
		there: (names: string, project: string) => `${names}, in project ${project}`,
		used: (count: number, when: string) => (count === 1 ? `once, ${when}` : `${n(count)} times, last ${when}`),
		never: 'not yet',
		off: 'Not in force',
		offPolicy: 'Your organisation’s policy or your role does not let it act now. You are asked each time.',
		offGone: 'This is not offered to you here any more.',
		revoke: 'Revoke',
		revokeOf: (title: string) => `Revoke: ${title}`,
		revokeSure: 'Really revoke? You are then asked each time.',
		revoking: 'Revoking…',
		revoked: 'Revoked. You are asked again from now on.',
		ended: 'That rule has ended: it was revoked, or its time is over.'
	},

	inbox: {
		title: 'Waiting for you',
		badge: (count: number, more = false) =>
			count === 1 && !more
				? '1 change waits for you in another conversation'
				: `${n(count)}${more ? ' or more' : ''} changes wait for you in other conversations`,
		count: (count: number, more = false) => (more || count > 99 ? `${n(Math.min(count, 99))}+` : n(count)),
		more: (count: number) => `${n(count)} more`,
		project: (id: string) => `Project ${id}`,
		foreign: (id: string) =>
			`This conversation belongs to project ${id}. Answer its changes here; to go on with it, open that project.`
	},

	artifact: {
		unified: 'Unified',
		split: 'Side by side',
		stacked: 'Before and after',
		before: 'Before',
		after: 'After',
		enlarge: 'Enlarge',
		shrink: 'Close',
		load: (size: string) => `Load ${size}`,
		loading: 'Loading…',
		failed: 'It could not be loaded.',
		download: 'Download',
		downloadOf: (name: string) => `Download ${name}`,
		all: (length: number) => `Show all ${n(length)} characters`,
		size: (bytes: number) =>
			bytes < 1024
				? `${n(bytes)} bytes`
				: bytes < 1 << 20
					? `${n(Math.round(bytes / 1024))} KiB`
					: `${n(Math.round((bytes / (1 << 20)) * 10) / 10)} MiB`,
		moreLines: (count: number) => `Show ${n(count)} more lines`,
		added: 'added',
		removed: 'removed',
		noDiff: 'No difference in text.',
		malformedDiff: 'This is not a well-formed diff, so it is shown as it came.',
		newFile: 'new file',
		deletedFile: 'deleted file',
		source: 'As it came',
		unknown: (kind: string) => `This panel does not know “${kind}”, so it is shown as it came.`,
		page: (title: string) => `Rendered page: ${title}`
	},

	markdown: {
		showImage: (host: string) => `Show image from ${host}`,
		imageRefused: 'Image not shown',
		linkRefused: 'Link not opened: its address is not allowed',
		opens: (host: string) => `Opens ${host} in a new tab`,
		opensHere: 'Opens in a new tab',
		copyCode: 'Copy code',
		copied: 'Copied'
	},

	keys: {
		title: 'Your model keys',
		text: 'A key is sealed when it is stored and never shown again.',
		none: 'No key is stored.',
		required: (provider: string) =>
			provider
				? `Your organisation has no ${provider} key. Add your own to go on.`
				: 'Add a model key to go on.',
		invalid: 'The provider rejected the key. Replace it to go on.',
		resumes: 'Your message is kept and sent as soon as a key is stored.',
		provider: 'Provider',
		label: 'Label',
		labelHint: 'personal',
		key: 'Key',
		keyHint: 'Paste the key here',
		tooShort: 'A key has at least 8 characters. Paste the whole of it.',
		add: 'Test and store',
		adding: 'Testing with one real call…',
		test: 'Test',
		testing: 'Testing…',
		rotate: 'Replace',
		revoke: 'Revoke',
		revokeSure: 'Really revoke?',
		cancel: 'Cancel',
		works: (model: string, ms: number) => `Works: ${model} answered in ${n(ms)} ms.`,
		stored: 'Stored.',
		storedUntested: 'Stored, but the provider did not answer the test.',
		used: (when: string) => `used ${when}`,
		never: 'not used yet'
	},

	settings: {
		title: 'Settings',
		loading: 'Loading…',
		model: 'Model',
		modelDefault: (name: string) => `Default (${name})`,
		modelFixed: 'Your organisation chose the model.',
		mode: 'Answers',
		concise: 'Short',
		thorough: 'Thorough',
		next: 'Next answer',
		noKey: 'no key yet',
		about: 'About',
		app: 'App',
		signedIn: 'Signed in',
		protocol: 'Protocol',
		spine: 'Prompt version',
		capabilities: 'What the agent can do here',
		confirms: 'asks first',
		saved: 'Saved.',
		loadFailed: 'The settings could not be loaded.',
		otherProtocol: (server: number, panel: number) =>
			`The server speaks protocol ${server}, this panel ${panel}. Reload the page.`
	},

	threads: {
		title: 'Conversations',
		search: 'Search conversations',
		none: 'No conversation yet.',
		noMatch: 'No conversation matches.',
		archived: 'Archived',
		active: 'Active',
		running: 'working',
		waiting: 'needs your approval',
		unsent: 'not sent',
		rename: 'Rename',
		archive: 'Archive',
		restore: 'Restore',
		export: 'Export',
		remove: 'Delete',
		removeSure: 'Really delete?',
		more: 'More',
		save: 'Save',
		cancel: 'Cancel',
		actions: (title: string) => `Actions for ${title}`
	},

	provider: (id: string) => PROVIDERS[id] ?? id,
	suggestions: 'Suggestions',
	cast: { label: 'Who is working', writing: 'Writing…', working: (name: string) => `${name} is working` },

	announce: {
		started: 'The agent is working.',
		waiting: (summary: string) => `A change needs your approval: ${summary}`,
		byRule: 'A change was allowed by your rule.',
		finished: 'The answer is finished.',
		undone: 'The change was taken back.',
		notUndone: 'The change was not taken back.',
		failed: 'The answer failed.',
		stopped: 'The answer was stopped.'
	},

	when(at: number, now: number): string {
		const minutes = Math.round((at - now) / 60_000);
		const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
		if (Math.abs(minutes) < 60) return relative.format(minutes, 'minute');
		if (Math.abs(minutes) < 24 * 60) return relative.format(Math.round(minutes / 60), 'hour');
		if (Math.abs(minutes) < 7 * 24 * 60) {
			return relative.format(Math.round(minutes / 60 / 24), 'day');
		}
		return new Intl.DateTimeFormat('en', { dateStyle: 'medium' }).format(at);
	},

	...office,

	day: (time: number) => new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' }).format(time),
	at: (time: number) =>
		new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' }).format(time)
};

/** A catalogue of words. */
export type Strings = typeof en;
