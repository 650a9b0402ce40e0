import type { Code } from '../protocol.gen.js';

/** A sentence of what happened, and one of what to do next. */
export interface CodeText {
	what: string;
	next: string;
}

/** A sentence for every code; a test compares the list with the generated one. */
export const codes: Record<Code, CodeText> = {
	invalid_request: {
		what: 'The request was not understood.',
		next: 'Reload the page; this panel may be older than the server.'
	},
	unauthenticated: { what: 'You are signed out.', next: 'Sign in again; what you wrote is kept.' },
	key_required: {
		what: 'No model key is set up yet.',
		next: 'Add your own key in settings.'
	},
	key_invalid: {
		what: 'The model provider rejected the key.',
		next: 'Replace the key in settings.'
	},
	forbidden: {
		what: 'You do not have the right to do this.',
		next: 'Ask an admin of your organisation.'
	},
	policy_denied: {
		what: 'Your organisation has switched this off.',
		next: 'Ask an admin of your organisation, or try it in another way.'
	},
	not_found: { what: 'This is not there.', next: 'It may have been removed or renamed. Look for it, then ask again.' },
	conflict: {
		what: 'Something else was there first.',
		next: 'Look how it stands now, then try again.'
	},
	turn_in_progress: {
		what: 'An answer is still being written here.',
		next: 'Wait until it is finished, or stop it.'
	},
	stale_preview: {
		what: 'Not accepted: the app has changed since this preview was made. Nothing was applied.',
		next: 'A new preview appears by itself, with the old one beside it.'
	},
	stale_undo: {
		what: 'The app has changed since, so this can no longer be taken back.',
		next: 'Ask for the change that you want instead.'
	},
	gone: {
		what: 'The time for this is over.',
		next: 'Ask for it again.'
	},
	too_large: {
		what: 'This is too large to send.',
		next: 'Make it shorter; a message may have 200 KiB.'
	},
	unsupported_media_type: {
		what: 'This kind of content cannot be sent.',
		next: 'Send plain text, or attach a thing of the app.'
	},
	invalid_input: { what: 'Something in the input is not right.', next: 'Correct it and send again.' },
	rate_limited: { what: 'Too many requests at once.', next: 'Wait a moment and try again.' },
	budget_exceeded: {
		what: 'The budget for model calls is used up.',
		next: 'Ask an admin of your organisation to raise it; your own key counts too.'
	},
	internal: {
		what: 'Something went wrong on our side.',
		next: 'Try again; the request id helps us to find out what happened.'
	},
	provider_error: { what: 'The model provider had a problem.', next: 'Try again.' },
	overloaded: { what: 'The model provider is overloaded.', next: 'Try again in a minute.' },
	unavailable: {
		what: 'The server cannot be reached.',
		next: 'Check your connection and try again.'
	},
	storage_busy: { what: 'The server is busy storing other work.', next: 'Try again in a moment.' },
	org_state_stale: {
		what: 'The rules of your organisation are too old on this device.',
		next: 'Connect to the internet once, then try again.'
	},
	timeout: { what: 'This took too long.', next: 'Try again.' },
	storage_full: {
		what: 'The server has no space left, so nothing new is started.',
		next: 'Tell the operator; what is there can still be read.'
	},
	interrupted: {
		what: 'The server was interrupted in the middle of this answer.',
		next: 'Send it again; what was accepted is kept.'
	},
	outcome_unknown: {
		what: 'It is not known whether this change was made.',
		next: 'Look in the app before you try again.'
	},
	tool_error: { what: 'The app could not do this.', next: 'Try it in another way.' },
	preview_missing: {
		what: 'The app gave no preview, so nothing was changed.',
		next: 'Tell the developer of the app.'
	},
	not_executed: { what: 'This was not carried out.', next: 'Ask again if you still want it.' },
	superseded: {
		what: 'A newer message took the place of this.',
		next: 'The conversation goes on below.'
	}
};
