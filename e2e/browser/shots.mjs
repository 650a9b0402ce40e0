// Makes the pictures of docs/images: each state of the demo, light, dark and on a phone.
//   npm run shots [STATE…]
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, until } from './kit/program.mjs';
import { says } from './kit/provider.mjs';
import { PHONE, Scene, WIDE } from './kit/scene.mjs';

const MOST_BYTES = 300 << 10;
const folder = join(root, 'docs/images');
const looks = {
	light: { viewport: WIDE, colorScheme: 'light' },
	dark: { viewport: WIDE, colorScheme: 'dark' },
	390: { viewport: PHONE, colorScheme: 'light' }
};
const VARIANT = 'Give me a Chroma-style variant of slide 4.';

/** Sends the words that the specification begins with, and waits for the preview. */
async function propose(visitor) {
	await visitor.chat();
	await visitor.say(VARIANT);
	await visitor.asked();
	await visitor.preview.frameLocator('iframe').locator('section').first().waitFor();
}

const ANSWER = [
	'Slide 4 says *leveraging synergies* three times, and never what a harbour gets. ',
	'I would keep one promise a line:\n\n',
	'1. **Parcels arrive on the ferry that sails anyway.** No extra trip, no extra fuel.\n',
	'2. **One locker on each quay.** Open at any hour, also when the shop is not.\n',
	'3. **Councils pay for use.** ',
	'Nothing is bought, nothing is left over when the pilot ends.\n\n'
];

/** Each state: whose page it is, and how one gets there. */
const states = {
	empty: { user: 'demo', act: (v) => v.chat() },
	streaming: {
		user: 'pay',
		rounds: [says('What is wrong with slide 4?', [...ANSWER, ...'Shall I write it like that and show you before anything is kept? '.repeat(40).split(/(?<= )/)], { fault: { kind: 'slow', ms: 120 } })],
		async act(v) {
			await v.chat();
			await v.say('What is wrong with slide 4?');
			await v.reads('Shall I write it like that');
		}
	},
	'tool-card': {
		user: 'demo',
		async act(v) {
			await v.chat();
			await v.say('Search the corpus for the Chroma aesthetic');
			await v.rests(1);
			await v.lastTurn.locator('details').filter({ hasText: 'corpus.search' }).locator('summary').first().click();
			await v.panel.getByRole('region', { name: 'Messages' }).press('Home');
			await v.box.focus();
		}
	},
	preview: { user: 'demo', act: propose },
	accepted: {
		user: 'demo',
		async act(v) {
			await propose(v);
			await v.accept();
			await v.preview.getByText('Applied.', { exact: true }).waitFor();
			await v.rests(1);
		}
	},
	error: {
		user: 'pay',
		rounds: [says('Shorten slide 2.', ['Slide 2 has one point: on an island, the last mile is water. ', 'I would keep the three figures and ', 'drop the line below them.'], { fault: { kind: 'error', status: 529, after: 2 } })],
		async act(v) {
			await v.chat();
			await v.say('Shorten slide 2.');
			await v.lastTurn.getByRole('alert').waitFor();
		}
	},
	settings: {
		user: 'lin',
		key: true,
		async act(v) {
			await v.chat();
			await v.button('Settings').click();
			await v.settings.getByText('personal', { exact: true }).waitFor();
			await v.settings.getByText('your own key').waitFor();
		}
	},
	'key-required': {
		user: 'lin',
		async act(v) {
			v.expect(/status of 402/);
			await v.chat();
			await v.say(VARIANT);
			await v.settings.getByText('Your message is kept').waitFor();
		}
	}
};

/** Takes a picture once two in a row are the same, or, while something is written, at once. */
async function picture(page, moving) {
	await page.mouse.move(0, 0);
	await page.evaluate(() => document.fonts.ready);
	if (moving) return page.screenshot();
	let last = Buffer.alloc(0);
	return until('the picture is still', async () => {
		const next = await page.screenshot({ caret: 'hide' });
		const still = next.equals(last);
		last = next;
		return still && next;
	});
}

async function shoot(state, { user, rounds = [], key, act }, look) {
	const scene = await Scene.start();
	try {
		await scene.provider.play(...rounds);
		if (key) await scene.storeKey(user, `sk-ant-api03-${'x'.repeat(40)}AB12`);
		const visitor = await scene.visit(user, { ...looks[look], path: '#/slides/04' });
		await visitor.page.locator('main iframe').first().waitFor();
		if (look !== '390') await visitor.page.locator('nav iframe').nth(5).waitFor();
		await act(visitor);
		const png = await picture(visitor.page, state === 'streaming');
		const path = join(folder, `${state}-${look}.png`);
		writeFileSync(path, png);
		const { size } = statSync(path);
		console.log(`${path.slice(root.length)} ${Math.round(size / 1024)} KiB${size > MOST_BYTES ? ': too large' : ''}`);
		if (size > MOST_BYTES || visitor.complaints.length > 0) process.exitCode = 1;
		for (const complaint of visitor.complaints) console.error(complaint);
	} finally {
		await scene.end();
	}
}

mkdirSync(folder, { recursive: true });
const wanted = process.argv.slice(2);
for (const [state, what] of Object.entries(states)) {
	if (wanted.length > 0 && !wanted.includes(state)) continue;
	for (const look of Object.keys(looks)) await shoot(state, what, look);
}
process.exit();
