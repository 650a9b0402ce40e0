// A deck that nobody here wrote: the demo page of reveal.js, from its own package.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Scene } from '../kit/scene.mjs';

const demo = fileURLToPath(new URL('../node_modules/reveal.js/demo.html', import.meta.url));
const original = readFileSync(demo, 'utf8');
const SLIDE = 'slides/02-hello-there.html';
let scene;
before(async () => {
	scene = await Scene.start({ deck: demo });
});
after(() => scene?.end());
afterEach((t) => scene.leave(t.name));

/** Asks for an export and gives the file. */
async function exported(visitor, turn) {
	await visitor.say('Export the deck as HTML');
	await visitor.rests(turn);
	const link = visitor.page.getByRole('link', { name: 'Download', exact: true });
	await link.waitFor();
	const [download] = await Promise.all([visitor.page.waitForEvent('download'), link.click()]);
	const text = readFileSync(await download.path(), 'utf8');
	await visitor.page.getByRole('button', { name: 'Put away' }).click();
	return text;
}

test('the demo of reveal.js is opened, shown, changed by words and given back with that slide changed alone', async () => {
	const demoUser = await scene.visit('demo');
	const { page } = demoUser;
	await demoUser.page.getByRole('heading', { name: /^reveal\.js/ }).waitFor();
	assert.equal(await page.getByRole('navigation', { name: 'Slides' }).getByRole('button').count(), 34);
	await demoUser.stageShows('The HTML Presentation Framework');
	await page.getByRole('button', { name: /^Slide 3:/ }).click();
	await demoUser.stageShows('Vertical Slides');

	const repo = scene.repo('demo');
	const tip = repo.tip();
	assert.equal(await exported(demoUser, 1), original, 'untouched, the page comes back byte for byte');
	assert.equal(repo.tip(), tip, 'an export changes nothing');

	await demoUser.say('Give me a Chroma-style variant of slide 2.');
	await demoUser.asked();
	await demoUser.lastTurn.locator('details').filter({ hasText: 'corpus.search' }).getByText('done').waitFor();
	await demoUser.preview.frameLocator('iframe').getByText('Hello There').first().waitFor();
	await demoUser.preview.getByRole('group', { name: SLIDE }).waitFor();
	const old = repo.file(SLIDE);
	assert.equal(repo.tip(), tip, 'nothing has changed yet');
	await demoUser.accept();
	await demoUser.preview.getByText('Applied.', { exact: true }).waitFor();
	await demoUser.rests(2);

	const now = repo.file(SLIDE);
	assert.notEqual(now, old);
	assert.deepEqual(repo.changed(tip), [SLIDE]);
	assert.equal(repo.merges.length, 1);
	await demoUser.stageShows('Hello There');
	await page.getByText('Slide 2 was changed').waitFor();

	assert.equal(original.split(old).length, 2, 'the slide stands in the page as it was written');
	assert.equal(await exported(demoUser, 3), original.replace(old, () => now), 'all but that slide is byte for byte the original');
	assert.deepEqual(await scene.leave(), []);
});
