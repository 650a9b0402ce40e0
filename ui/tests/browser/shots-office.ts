import type { Page } from 'playwright-core';
import { rest, say, type Stand } from './harness.ts';
import type { Shot } from './shots.ts';

const PROFILE = '# Who we are\n\nHarbour Lockers rents lockers on ferries. We speak to city councils.\n\n- Say **lockers**, never boxes\n- Numbers with their year\n';

/** Opens the settings at one of their parts. */
async function part(page: Page, title: string): Promise<void> {
	await page.getByRole('button', { name: 'Settings', exact: true }).click();
	await page.getByRole('heading', { name: title, exact: true }).click();
	await page.getByRole('heading', { name: title, exact: true }).evaluate((h) => h.scrollIntoView({ block: 'start' }));
	await page.waitForTimeout(300);
}

async function reminders(page: Page, { agent }: Stand): Promise<void> {
	agent.office.store('client_profile', PROFILE.replace('- Numbers with their year\n', ''), 'seed');
	agent.office.store('client_profile', PROFILE, 'suggestion');
	await part(page, 'Reminders');
	await page.getByRole('button', { name: 'History' }).click();
	await page.getByRole('button', { name: /^Version 2/ }).click();
	await page.getByText('+1').or(page.getByText('Numbers with their year').nth(1)).first().waitFor();
}

async function conflict(page: Page, { agent }: Stand): Promise<void> {
	agent.office.store('client_profile', PROFILE);
	await part(page, 'Reminders');
	await page.getByRole('button', { name: 'Edit', exact: true }).click();
	await page.locator('textarea').last().fill(`${PROFILE}- Never stock photos\n`);
	agent.office.store('client_profile', `${PROFILE}- One accent colour\n`, 'suggestion');
	await page.getByRole('button', { name: 'Save', exact: true }).click();
	await page.getByText('Somebody stored another version meanwhile.').waitFor();
}

async function usage(page: Page, { agent }: Stand): Promise<void> {
	agent.office.used = { calls: 312, unpricedCalls: 2, estimatedCalls: 1, tokensIn: 640_210, tokensOut: 191_034, cacheReadTokens: 3_310_500, cacheCreationTokens: 220_400, costNanoUsd: 41_320_000_000 };
	agent.office.budgets = [{ scope: 'org', subject: '', softNanoUsd: 40e9, hardNanoUsd: 50e9 }, { scope: 'user', subject: 'user_1', hardTokens: 800_000 }];
	await part(page, 'Usage and budgets');
	await page.getByText('Past the mark of').waitFor();
}

async function leaves(page: Page, { agent }: Stand): Promise<void> {
	await say(page, 'hello');
	await rest(page);
	const [thread] = agent.store.threads.keys();
	const line = { requests: 3, failures: 1, bytesOut: 91_000, bytesIn: 12_400, redactions: 4, firstAt: 1, at: 2, host: 'api.anthropic.com', purpose: 'step' };
	agent.office.egress.set(thread!, [line, { ...line, host: 'chroma.example:8000', purpose: 'corpus', failures: 0, redactions: 0, bytesOut: 900 }]);
	agent.office.policy.redaction = { kinds: ['email', 'secret'] };
	await part(page, 'What leaves');
	await page.locator('textarea').last().fill('Write to ada@example.com about the key sk-ant-api03-abcDEF123456ghiJKL789012.');
	await page.getByRole('button', { name: 'Show', exact: true }).click();
	await page.getByText('A provider gets').waitFor();
}

async function sources(page: Page): Promise<void> {
	await say(page, 'search please');
	await rest(page);
	await page.getByRole('list', { name: 'Sources' }).locator('summary').first().click();
	await page.getByRole('list', { name: 'Sources' }).getByText('Never a second accent.').waitFor();
}

async function budget(page: Page): Promise<void> {
	for (const text of ['warned', 'compacted', 'fail budget_exceeded']) {
		await say(page, text);
		await rest(page);
	}
	await page.waitForTimeout(300);
}

const looks = { '': { height: 1000 }, '-dark': { height: 1000, theme: 'dark' as const }, '-320': { height: 720, width: 320 } };
const acts = { reminders, 'reminders-conflict': conflict, usage, leaves, sources, budget };

/** Pictures of what an org has besides its conversations, each light, dark and narrow. */
export const officeShots: Shot[] = Object.entries(acts).flatMap(([name, act]) =>
	Object.entries(looks).map(([tail, look]) => ({ name: `${name}${tail}`, look, act }))
);
