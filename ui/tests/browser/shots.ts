import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { officeShots } from './shots-office.ts';
import { setup } from './build.ts';
import { launch, rest, say, Stand, toChange, type Look } from './harness.ts';

/** One picture: how the page is looked at, and what is done before it is taken. */
export interface Shot {
	name: string;
	look?: Look;
	knobs?: Parameters<typeof Stand.open>[1];
	act(page: Page, stand: Stand): Promise<void>;
}

const accept = (page: Page) => page.getByRole('button', { name: 'Accept', exact: true });

async function preview(page: Page): Promise<void> {
	await say(page, 'Give me a Chroma-style variant of slide 4.');
	await accept(page).waitFor();
	await page.locator('iframe').first().waitFor();
	await page.waitForTimeout(500);
}

async function edit(page: Page): Promise<void> {
	await preview(page);
	await page.getByRole('button', { name: 'Edit', exact: true }).last().click();
	await page.getByRole('textbox', { name: 'Style' }).fill('calm');
	await page.getByRole('textbox', { name: /^Warmth/ }).fill('11');
	await page.getByText('Between 0 and 10.').waitFor();
}

async function stale(page: Page): Promise<void> {
	await say(page, 'stale please');
	await accept(page).click();
	await page.getByText('This is the new preview').waitFor();
	await page.waitForTimeout(500);
}

async function review(page: Page): Promise<void> {
	await say(page, 'three slides please');
	await page.getByText('3 of 3 waiting').waitFor();
	await toChange(page);
	await page.keyboard.press('a');
	await page.getByText('2 of 3 waiting').waitFor();
}

async function unanswered(page: Page, stand: Stand): Promise<void> {
	await say(page, 'three slides please');
	await page.getByText('3 of 3 waiting').waitFor();
	stand.agent.knobs.down = true;
	await accept(page).first().click();
	await page.getByText('Your answer was not sent.').waitFor();
}

async function unmade(page: Page): Promise<void> {
	await say(page, 'unmade again');
	await accept(page).click();
	await page.getByText('There is no slide 4.').waitFor();
	await rest(page);
}

async function lost(page: Page, stand: Stand): Promise<void> {
	await say(page, 'three slides please');
	await page.getByText('3 of 3 waiting').waitFor();
	const { turn } = [...stand.agent.store.turns.values()].at(-1)!;
	const { callId, receiptId } = turn.open![0]!;
	let release = () => {};
	const held = new Promise<void>((go) => (release = go));
	await page.route('**/confirm', async (route) => (await held, route.continue()));
	await accept(page).first().click();
	const body = JSON.stringify({ turnId: turn.id, decisions: [{ callId, receiptId, decision: 'discard' }] });
	await fetch(`${stand.base}/api/agent/confirm`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
	release();
	await page.getByText('Your “Accept” was not taken.').waitFor();
}

async function begun(page: Page, stand: Stand): Promise<void> {
	stand.agent.knobs.down = true;
	await say(page, 'This is written on a train.');
	await page.getByRole('alert').waitFor();
	stand.agent.knobs.down = false;
	await page.getByRole('button', { name: 'New conversation', exact: true }).click();
	await say(page, 'hello');
	await rest(page);
	await page.getByRole('button', { name: /^Switch/ }).click();
	await page.getByText('not sent').waitFor();
	await page.getByRole('button', { name: /^Actions/ }).waitFor();
}

async function inbox(page: Page, stand: Stand): Promise<void> {
	for (const [text, projectId] of [['three slides please', 'demo-deck'], ['Give me a variant of slide 4', 'other-deck']] as const) {
		const t = stand.agent.start({ projectId, text });
		while (t.turn.state !== 'awaiting_confirmation') await page.waitForTimeout(20);
	}
	await say(page, 'hello');
	await rest(page);
	await page.getByRole('button', { name: /^Switch/ }).click();
	await page.getByText('Changed slide 8').waitFor();
}

async function always(page: Page): Promise<void> {
	await preview(page);
	await page.getByRole('button', { name: 'Always allow…' }).click();
	await page.getByRole('group', { name: 'Always allow this?' }).waitFor();
}

async function rules(page: Page, stand: Stand): Promise<void> {
	await always(page);
	await page.getByRole('button', { name: 'Accept and always allow' }).click();
	await rest(page);
	const [rule] = stand.agent.store.permissions;
	Object.assign(rule!, { uses: 3, usedAt: Date.now() - 2 * 3600_000 });
	const off = { capability: 'slide.edit', title: 'Edit a slide', summary: 'Half the words on slide 2', inForce: false };
	stand.agent.store.permissions.push({ ...rule!, ...off, id: 'perm_off', uses: 0, resources: ['slides/02-problem.html'], limits: [{ argument: 'slide', equal: '02' }, { argument: 'instruction', any: true }] });
	await page.getByRole('button', { name: 'See in Settings' }).click();
	await page.getByText('Not in force').waitFor();
}

async function byRule(page: Page): Promise<void> {
	await always(page);
	await page.getByRole('button', { name: 'Accept and always allow' }).click();
	await rest(page);
	await say(page, 'Give me a Chroma-style variant of slide 4.');
	await page.getByRole('button', { name: 'See or revoke it' }).waitFor();
	await rest(page);
}

const shots: Shot[] = [
	...officeShots,
	{ name: 'empty', act: async () => {} },
	{ name: 'preview', look: { height: 1000 }, act: preview },
	{ name: 'preview-dark', look: { theme: 'dark', height: 1000 }, act: preview },
	{
		name: 'applied',
		look: { height: 1000 },
		async act(page) {
			await preview(page);
			await accept(page).click();
			await rest(page);
		}
	},
	{
		name: 'markdown',
		look: { height: 1050 },
		async act(page) {
			await say(page, 'markdown');
			await rest(page);
		}
	},
	{
		name: 'markdown-dark',
		look: { theme: 'dark', height: 1050 },
		async act(page) {
			await say(page, 'markdown');
			await rest(page);
		}
	},
	{
		name: 'streaming',
		knobs: { pace: 40 },
		async act(page) {
			await say(page, 'read slide 4 and tell me what it says');
			await page.getByText('half way').or(page.getByText('Slide 4 is')).first().waitFor();
		}
	},
	{
		name: 'tools-open',
		async act(page) {
			await say(page, 'read slide 4');
			await rest(page);
			await page.locator('details.tool summary').first().click();
			await page.getByRole('button', { name: 'Details' }).click();
		}
	},
	{
		name: 'change-set',
		look: { height: 1100 },
		async act(page) {
			await say(page, 'both slides please');
			await page.getByText('2 of 2 waiting').waitFor();
		}
	},
	{
		name: 'undo',
		look: { height: 700 },
		async act(page) {
			await preview(page);
			await accept(page).click();
			await rest(page);
		}
	},
	{
		name: 'undone',
		look: { height: 700 },
		async act(page) {
			await preview(page);
			await accept(page).click();
			await rest(page);
			await page.getByRole('button', { name: 'Undo', exact: true }).click();
			await page.getByText('You undid:').waitFor();
		}
	},
	{
		name: 'undo-refused',
		look: { height: 700 },
		async act(page) {
			await say(page, 'moves after');
			await accept(page).click();
			await rest(page);
			await page.getByRole('button', { name: 'Undo', exact: true }).click();
			await page.getByText('Not undone,').waitFor();
		}
	},
	{ name: 'always', look: { height: 1000 }, knobs: { remember: true }, act: always },
	{ name: 'always-dark', look: { height: 1000, theme: 'dark' }, knobs: { remember: true }, act: always },
	{ name: 'always-390', look: { height: 844, width: 390 }, knobs: { remember: true }, act: always },
	{ name: 'rules', look: { height: 1000 }, knobs: { remember: true }, act: rules },
	{ name: 'rules-dark', look: { height: 1000, theme: 'dark' }, knobs: { remember: true }, act: rules },
	{ name: 'rules-390', look: { height: 844, width: 390 }, knobs: { remember: true }, act: rules },
	{ name: 'by-rule', look: { height: 800 }, knobs: { remember: true }, act: byRule },
	{ name: 'by-rule-dark', look: { height: 800, theme: 'dark' }, knobs: { remember: true }, act: byRule },
	{ name: 'edit', look: { height: 1000 }, act: edit },
	{ name: 'edit-dark', look: { height: 1000, theme: 'dark' }, act: edit },
	{
		name: 'edited',
		look: { height: 1000 },
		async act(page) {
			await preview(page);
			await page.getByRole('button', { name: 'Edit', exact: true }).last().click();
			await page.getByRole('textbox', { name: 'Style' }).fill('calm');
			await page.getByRole('button', { name: 'Preview my edit' }).click();
			await page.getByText('This is the change with your edits').waitFor();
		}
	},
	{ name: 'stale', look: { height: 1400 }, act: stale },
	{ name: 'stale-dark', look: { height: 1000, theme: 'dark', width: 900 }, act: stale },
	{ name: 'review', look: { height: 900 }, act: review },
	{ name: 'review-dark', look: { height: 900, theme: 'dark', width: 390 }, act: review },
	{ name: 'unanswered', look: { height: 760 }, act: unanswered },
	{ name: 'unanswered-390', look: { height: 760, width: 390 }, act: unanswered },
	{ name: 'unmade', look: { height: 640 }, act: unmade },
	{ name: 'unmade-390', look: { height: 640, width: 390 }, act: unmade },
	{ name: 'lost', look: { height: 760 }, act: lost },
	{ name: 'lost-390', look: { height: 760, width: 390 }, act: lost },
	{ name: 'begun', look: { height: 640 }, act: begun },
	{ name: 'begun-390', look: { height: 640, width: 390 }, act: begun },
	{ name: 'inbox', look: { height: 700 }, act: inbox },
	{ name: 'inbox-dark', look: { height: 700, theme: 'dark' }, act: inbox },
	{
		name: 'signed-out',
		look: { signin: true, height: 600 },
		async act(page, stand) {
			await say(page, 'hello');
			await rest(page);
			stand.agent.knobs.signedOut = true;
			await say(page, 'and more of it');
			await page.getByText('Sent once you').waitFor();
		}
	},
	{
		name: 'file',
		look: { height: 600 },
		async act(page) {
			await say(page, 'export the deck');
			await rest(page);
		}
	},
	{
		name: 'diff-stacked',
		look: { height: 1000, width: 390 },
		async act(page) {
			await preview(page);
			await page.getByRole('button', { name: 'Before and after' }).click();
		}
	},
	{
		name: 'key-required',
		knobs: { needsKey: true, scripted: false },
		async act(page) {
			await say(page, 'Give me a Chroma-style variant of slide 4.');
			await page.getByText('Your organisation has no Anthropic key').waitFor();
		}
	},
	{
		name: 'settings',
		look: { height: 1000 },
		knobs: { scripted: false },
		async act(page) {
			await page.getByRole('button', { name: 'Settings' }).click();
			await page.getByPlaceholder('Paste the key here').fill('sk-ant-api03-demo-AB12');
			await page.getByRole('button', { name: 'Test and store' }).click();
			await page.getByText('Works:').waitFor();
		}
	},
	{
		name: 'settings-dark',
		look: { theme: 'dark', height: 1000 },
		async act(page) {
			await page.getByRole('button', { name: 'Settings' }).click();
			await page.getByText('Prompt version').waitFor();
		}
	},
	{
		name: 'threads',
		async act(page) {
			for (const text of ['Give slide 2 a warmer tone', 'Why did the build fail?', 'Export the deck as PDF']) {
				await page.getByRole('button', { name: 'New conversation', exact: true }).click();
				await say(page, text);
				await rest(page);
			}
			await page.getByRole('button', { name: /^Switch/ }).click();
			await page.getByRole('button', { name: /^Actions for Why/ }).click();
		}
	},
	{
		name: 'errors',
		look: { height: 900 },
		async act(page) {
			await say(page, 'fail provider_error');
			await page.getByRole('alert').waitFor();
			await say(page, 'refused');
			await rest(page);
		}
	},
	{
		name: 'offline',
		async act(page, stand) {
			await say(page, 'hello');
			await rest(page);
			stand.agent.knobs.down = true;
			stand.agent.cutStreams();
			await say(page, 'This is written on a train.');
			await page.getByText('Connection lost').waitFor();
			await page.getByRole('alert').waitFor();
		}
	},
	{
		name: 'mention',
		async act(page) {
			await page.locator('textarea').pressSequentially('Make @tra');
			await page.getByRole('option').first().waitFor();
		}
	},
	{ name: 'short', look: { width: 640, height: 400 }, act: preview },
	{ name: 'short-narrow', look: { width: 320, height: 568 }, act: preview },
	{ name: 'phone', look: { width: 390, height: 844 }, act: preview },
	{ name: 'malformed', look: { height: 700 }, act: (page) => say(page, 'artifact diff:--- a/notes\n+++ b/notes\n@@ -1 +1 @@\n-Buy milk.\nCall Ann.\n+Buy oat milk.\n@@ -1 +1 @@\n-Pay \u202e001 to Ann').then(() => accept(page).waitFor()) },
	{ name: 'narrow', look: { width: 320, height: 760 }, act: preview },
	{ name: 'rtl', look: { dir: 'rtl', height: 1000 }, act: preview },
	{
		name: 'artifacts',
		look: { width: 720, height: 1900 },
		async act(page) {
			await say(page, 'everything you can show');
			await accept(page).waitFor();
			await page.getByRole('button', { name: 'Side by side' }).click();
			await page.waitForTimeout(400);
		}
	},
	{ name: 'beside', look: { width: 1280, height: 900, beside: true }, act: preview }
];

/** Takes the pictures whose names are given, or all of them. */
export async function run(folder: string, names: readonly string[]): Promise<void> {
	await setup();
	mkdirSync(folder, { recursive: true });
	const browser = await launch();
	try {
		for (const shot of shots) {
			if (names.length > 0 && !names.includes(shot.name)) continue;
			const stand = await Stand.open(browser, { pace: 6, ...shot.knobs });
			const page = await stand.page(shot.look);
			await shot.act(page, stand);
			await page.waitForTimeout(350);
			await page.screenshot({ path: `${folder}/panel-${shot.name}.png` });
			await stand.close();
			process.stdout.write(`${shot.name}\n`);
		}
	} finally {
		await browser.close();
	}
}

/** Where the pictures are kept when no other folder is named. */
export const IMAGES = fileURLToPath(new URL('../../../docs/images', import.meta.url));
