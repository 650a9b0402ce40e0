// Makes the pictures of docs/images: each state of the demo, light, dark and on a phone.
//   npm run shots [STATE…]
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, until } from './kit/program.mjs';
import { after, call, calls, says } from './kit/provider.mjs';
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

/** Rewrites slide 4 behind the back of whoever looks at a preview of it. */
function meddle(repo) {
	const [path] = repo.git('ls-files', 'slides/04*').split('\n');
	const file = join(repo.dir, path);
	const slide = readFileSync(file, 'utf8');
	writeFileSync(file, slide.replace(/<li>[^<]*<\/li>/, '<li>Parcels travel on the ferry that sails anyway</li>'));
	repo.git('-c', 'user.name=Ingrid', '-c', 'user.email=ingrid@tidepost.example', 'commit', '-am', 'Say the first point as on the quay');
}

/** Three slides with fewer words, as a model writes them. */
const SHORTER = 'Shorten slides 2, 3 and 5.';
const shorter = (was, title, ...points) => ({
	when: { purpose: 'generate', lastUser: was },
	text: `<section class="slide">\n  <h2>${title}</h2>\n  <ul>\n${points.map((p) => `    <li>${p}</li>\n`).join('')}  </ul>\n</section>\n`
});
const THREE = [
	calls(SHORTER, ...['02', '03', '05'].map((slide_id) => call('slide.edit', { slide_id, instruction: 'Half the words, one thought a line.' }))),
	shorter('last mile is water', 'On an island the last mile is water', 'Six days for a parcel', 'One trip a week', 'A shop that closes at noon'),
	shorter('One locker on deck', 'A locker on every quay', 'Open at any hour', 'Filled by the ferry'),
	shorter('Half the households', 'Half the households, from one spring', 'Four islands', 'Every second home', 'Nine in ten came back'),
	after('slide.edit', { text: 'That is settled.' })
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
	edit: {
		user: 'demo',
		async act(v) {
			await propose(v);
			await v.button('Edit', v.preview).click();
			await v.preview.getByRole('textbox', { name: 'Style' }).fill('calm');
		}
	},
	stale: {
		user: 'demo',
		async act(v, scene) {
			await propose(v);
			meddle(scene.repo('demo'));
			await v.accept();
			await v.preview.getByText('This is the new preview').waitFor();
			await v.preview.frameLocator('iframe').nth(1).locator('section').first().waitFor();
			await until('the new one can be accepted', () => v.button('Accept', v.preview).isEnabled());
		}
	},
	review: {
		user: 'pay',
		rounds: THREE,
		async act(v) {
			await v.chat();
			await v.say(SHORTER);
			await v.panel.getByText('3 of 3 waiting').waitFor();
			await until('the first can be accepted', () => v.button('Accept').first().isEnabled());
			await v.button('Accept').first().click();
			await v.panel.getByText('2 of 3 waiting').waitFor();
		}
	},
	undone: {
		user: 'demo',
		async act(v) {
			await propose(v);
			await v.accept();
			await v.preview.getByText('Applied.', { exact: true }).waitFor();
			await v.rests(1);
			await v.button('Undo').click();
			await v.preview.getByText('Undone.', { exact: true }).waitFor();
			await v.panel.getByText('You undid:').waitFor();
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
		await act(visitor, scene);
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
