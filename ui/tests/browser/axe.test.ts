import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { launch, rest, say, Stand, type Look } from './harness.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser: Browser;
beforeAll(async () => {
	browser = await launch();
});
afterAll(() => browser.close());

/** Accepts a change for always. */
async function allow(page: Page): Promise<void> {
	await say(page, 'give me a variant');
	await page.getByRole('button', { name: 'Always allow…' }).click();
	await page.getByRole('button', { name: 'Accept and always allow' }).click();
	await page.getByText('Always allowed from now on.').waitFor();
	await rest(page);
}

/** The states that are looked at, and how one gets there. */
const states: Record<string, { knobs?: Parameters<typeof Stand.open>[1]; act(page: Page, stand: Stand): Promise<void> }> = {
	empty: { act: async () => {} },
	'empty without a key': {
		knobs: { needsKey: true, scripted: false },
		act: (page) => page.getByText('No model key yet').waitFor()
	},
	'an answer': {
		async act(page) {
			await say(page, 'markdown');
			await rest(page);
		}
	},
	'an answer being written': {
		knobs: { pace: 30 },
		async act(page) {
			await say(page, 'slow please');
			await page.getByText('word3').waitFor();
			await page.locator('textarea').fill('next');
		}
	},
	'open tool cards': {
		async act(page) {
			await say(page, 'read slide 4');
			await rest(page);
			await page.locator('details.tool summary').click();
			await page.getByText('Reasoning').click();
			await page.getByRole('button', { name: 'Details' }).click();
		}
	},
	'a preview of every kind': {
		async act(page) {
			await say(page, 'everything');
			await page.getByRole('button', { name: 'Accept', exact: true }).waitFor();
			await page.getByRole('button', { name: 'Before and after' }).click();
			await page.waitForTimeout(500);
		}
	},
	'a change set': {
		async act(page) {
			await say(page, 'both');
			await page.getByText('2 of 2 waiting').waitFor();
			await page.waitForTimeout(500);
		}
	},
	'an applied change': {
		async act(page) {
			await say(page, 'give me a variant');
			await page.getByRole('button', { name: 'Accept', exact: true }).click();
			await rest(page);
			await page.getByText('Look at the change').click();
		}
	},
	'a change that was taken back': {
		async act(page) {
			await say(page, 'give me a variant');
			await page.getByRole('button', { name: 'Accept', exact: true }).click();
			await rest(page);
			await page.getByRole('button', { name: 'Undo', exact: true }).click();
			await page.getByText('You undid:').waitFor();
			await rest(page);
		}
	},
	'a change that could not be taken back': {
		async act(page) {
			await say(page, 'moves after');
			await page.getByRole('button', { name: 'Accept', exact: true }).click();
			await rest(page);
			await page.getByRole('button', { name: 'Undo', exact: true }).click();
			await page.getByText('Not undone, because').waitFor();
			await rest(page);
		}
	},
	'what "always allow" would cover': {
		knobs: { remember: true },
		async act(page) {
			await say(page, 'give me a variant');
			await page.getByRole('button', { name: 'Always allow…' }).click();
			await page.getByRole('group', { name: 'Always allow this?' }).waitFor();
		}
	},
	'a change that a rule accepted': {
		knobs: { remember: true },
		async act(page) {
			await allow(page);
			await page.getByRole('button', { name: 'New conversation', exact: true }).click();
			await say(page, 'give me a variant');
			await page.getByRole('button', { name: 'See or revoke it' }).waitFor();
			await rest(page);
		}
	},
	'what is always allowed': {
		knobs: { remember: true },
		async act(page, stand) {
			await allow(page);
			const [rule] = stand.agent.store.permissions;
			stand.agent.store.permissions.push({ ...rule!, id: 'perm_off', inForce: false });
			await page.getByRole('button', { name: 'See in Settings' }).click();
			await page.getByText('Not in force').waitFor();
			await page.getByRole('button', { name: /^Revoke: / }).first().click();
			await page.getByText('Really revoke?').waitFor();
		}
	},
	'a rule that has ended': {
		knobs: { remember: true },
		async act(page, stand) {
			await allow(page);
			stand.agent.store.permissions = [];
			await page.getByRole('button', { name: 'See in Settings' }).click();
			await page.getByText('That rule has ended').waitFor();
		}
	},
	'a change being edited': {
		async act(page) {
			await say(page, 'give me a variant');
			await page.getByRole('button', { name: 'Edit', exact: true }).last().click();
			await page.getByRole('textbox', { name: /^Warmth/ }).fill('warm');
			await page.getByText('Write a number.').waitFor();
		}
	},
	'an edit that the server refused': {
		async act(page) {
			await say(page, 'give me a variant');
			await page.getByRole('button', { name: 'Edit', exact: true }).last().click();
			await page.getByRole('textbox', { name: 'Style' }).fill('x');
			await page.getByRole('button', { name: 'Preview my edit' }).click();
			await page.getByRole('form').getByRole('alert').waitFor();
		}
	},
	'an edited change beside the one before': {
		async act(page) {
			await say(page, 'give me a variant');
			await page.getByRole('button', { name: 'Edit', exact: true }).last().click();
			await page.getByRole('textbox', { name: 'Style' }).fill('calm');
			await page.getByRole('button', { name: 'Preview my edit' }).click();
			await page.getByRole('button', { name: 'Both' }).click();
			await page.waitForTimeout(500);
		}
	},
	'a change that moved, beside what was seen': {
		async act(page) {
			await say(page, 'stale please');
			await page.getByRole('button', { name: 'Accept', exact: true }).click();
			await page.getByText('This is the new preview').waitFor();
			await page.waitForTimeout(500);
		}
	},
	'what waits elsewhere': {
		async act(page, stand) {
			const t = stand.agent.start({ projectId: 'other-deck', text: 'three slides please' });
			await expect.poll(() => t.turn.state).toBe('awaiting_confirmation');
			await say(page, 'hello');
			await rest(page);
			await page.locator('.badge').waitFor();
			await page.getByRole('button', { name: /^Switch/ }).click();
			await page.getByText('Changed slide 8').waitFor();
		}
	},
	'somebody signed out': {
		async act(page, stand) {
			await say(page, 'hello');
			await rest(page);
			stand.agent.knobs.signedOut = true;
			await say(page, 'and more');
			await page.getByText('Sent once you').waitFor();
		}
	},
	'a file to fetch': {
		async act(page) {
			await say(page, 'export the deck');
			await rest(page);
			await page.locator('details.tool summary').click();
		}
	},
	'a key that is too short': {
		knobs: { scripted: false },
		async act(page) {
			await page.getByRole('button', { name: 'Settings' }).click();
			await page.getByPlaceholder('Paste the key here').fill('sk');
			await page.getByText('A key has at least').waitFor();
		}
	},
	'a failed turn': {
		async act(page) {
			await say(page, 'fail provider_error');
			await page.getByRole('alert').waitFor();
		}
	},
	'a message that never arrived': {
		async act(page, stand) {
			stand.agent.knobs.down = true;
			await say(page, 'on a train');
			await page.getByRole('alert').waitFor();
		}
	},
	'the settings': {
		knobs: { scripted: false },
		async act(page) {
			await page.getByRole('button', { name: 'Settings' }).click();
			await page.getByPlaceholder('Paste the key here').fill('sk-ant-api03-good-0001');
			await page.getByRole('button', { name: 'Test and store' }).click();
			await page.getByText('Works:').waitFor();
			await page.getByRole('button', { name: 'Replace' }).click();
			await page.getByText('What the agent can do here').click();
		}
	},
	'the reminders, usage and what leaves': {
		async act(page, stand) {
			const { office } = stand.agent;
			office.store('client_profile', '# Who we are\n\nWe build harbours.\n');
			office.store('client_profile', '# Who we are\n\nWe build lockers.\n', 'suggestion');
			office.used = { calls: 12, unpricedCalls: 2, estimatedCalls: 1, tokensIn: 40_000, tokensOut: 9_000, cacheReadTokens: 310_000, cacheCreationTokens: 22_000, costNanoUsd: 41e9 };
			office.budgets = [{ scope: 'org', subject: '', softNanoUsd: 40e9, hardNanoUsd: 50e9 }, { scope: 'user', subject: 'user_1', hardTokens: 40_000 }];
			await say(page, 'hello');
			await rest(page);
			await page.getByRole('button', { name: 'Settings' }).click();
			for (const title of ['Reminders', 'Usage and budgets', 'What leaves', 'Prompt cache']) await page.getByRole('heading', { name: title }).click();
			await page.getByRole('button', { name: 'History' }).click();
			await page.getByRole('button', { name: /^Version 2/ }).click();
			await page.getByText('Past the mark of').waitFor();
			await page.getByPlaceholder('Write to ada@example.com').fill('Write to ada@example.com');
			await page.getByRole('button', { name: 'Show', exact: true }).click();
			await page.getByText('A provider gets').waitFor();
		}
	},
	'a reminder being written': {
		async act(page) {
			await page.getByRole('button', { name: 'Settings' }).click();
			await page.getByRole('heading', { name: 'Reminders' }).click();
			await page.getByRole('button', { name: 'Write' }).click();
		}
	},
	'open sources, a budget and a shortened past': {
		async act(page) {
			for (const text of ['warned', 'compacted', 'search']) {
				await say(page, text);
				await rest(page);
			}
			await page.getByRole('list', { name: 'Sources' }).locator('summary').first().click();
			await page.getByRole('list', { name: 'Sources' }).getByText('Never a second accent.').waitFor();
		}
	},
	'a wrong key': {
		knobs: { scripted: false },
		async act(page) {
			await page.getByRole('button', { name: 'Settings' }).click();
			await page.getByPlaceholder('Paste the key here').fill('sk-ant-wrong-0001');
			await page.getByRole('button', { name: 'Test and store' }).click();
			await page.getByRole('alert').waitFor();
		}
	},
	'the list of conversations': {
		async act(page) {
			await say(page, 'hello');
			await rest(page);
			await page.getByRole('button', { name: /^Switch/ }).click();
			await page.getByRole('button', { name: 'Actions for hello' }).click();
		}
	},
	mentions: {
		async act(page) {
			await page.locator('textarea').pressSequentially('@s');
			await page.getByRole('option').first().waitFor();
		}
	}
};

const looks: [string, Look][] = [
	['light', { theme: 'light' }],
	['dark', { theme: 'dark' }]
];

describe.each(looks)('axe finds nothing in %s', (_, look) => {
	it.each(Object.keys(states))('with %s', async (name) => {
		const { knobs, act } = states[name]!;
		const stand = await Stand.open(browser, { pace: 3, ...knobs });
		try {
			const page = await stand.page({ ...look, bare: true, reducedMotion: 'reduce' });
			await act(page, stand);
			await page.evaluate(axe);
			const found = await page.evaluate(async () => {
				const run = (window as never as { axe: { run(c: unknown, o: unknown): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }> } }).axe;
				const options = { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] };
				const { violations } = await run.run('.iaa', options);
				return violations.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.html.slice(0, 160)} — ${n.failureSummary.slice(0, 200)}`).join(' | ')}`);
			});
			expect(found).toEqual([]);
		} finally {
			await stand.close();
		}
	});
});
