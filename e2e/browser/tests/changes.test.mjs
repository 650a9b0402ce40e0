// What becomes of a change after it was shown: edited, moved under it, taken back.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { slideOf, variantOf } from '../kit/provider.mjs';
import { Scene } from '../kit/scene.mjs';

const WORDS = 'A variant of slide 4.';
let scene;
before(async () => {
	scene = await Scene.start();
});
after(() => scene?.end());
afterEach(async (t) => {
	await scene.provider.reset();
	assert.deepEqual(await scene.leave(t.name), [], 'the page complained, or asked for something from elsewhere');
});

/** Asks for a variant and waits until it can be answered. */
async function propose(title) {
	await scene.provider.play(variantOf(WORDS, '04', slideOf(title)));
	const pay = await scene.visit('pay');
	await pay.say(WORDS);
	await pay.asked();
	const repo = scene.repo('paying-client');
	const [path] = repo.git('ls-files', 'slides/04*').split('\n');
	return { pay, repo, path };
}

/** Rewrites a slide as somebody does who looks at no chat. */
function rewrite(repo, path, text) {
	writeFileSync(join(repo.dir, path), text);
	repo.git('-c', 'user.name=Ingrid', '-c', 'user.email=ingrid@example.test', 'commit', '-qam', 'By hand');
}

test('an accepted change is undone: the slide has its bytes again, also after a reload', async () => {
	const { pay, repo, path } = await propose('Only for a moment');
	const was = repo.file(path);
	await pay.accept();
	await pay.preview.getByText('Applied.', { exact: true }).waitFor();
	await pay.rests(1);
	assert.match(repo.file(path), /Only for a moment/);
	await pay.button('Undo').click();
	await pay.preview.getByText('Undone.', { exact: true }).waitFor();
	assert.equal(repo.file(path), was);
	const tip = repo.tip();
	await pay.page.reload();
	await pay.chat();
	await pay.preview.getByText('Undone.', { exact: true }).waitFor();
	assert.equal(await pay.button('Undo').count(), 0, 'nothing can be undone twice');
	assert.equal(repo.tip(), tip);
});

test('an undo after somebody went on is refused, says so, and touches nothing', async () => {
	const { pay, repo, path } = await propose('The first step');
	await pay.accept();
	await pay.preview.getByText('Applied.', { exact: true }).waitFor();
	await pay.rests(1);
	rewrite(repo, path, slideOf('A second step by hand'));
	const tip = repo.tip();
	await pay.button('Undo').click();
	await pay.panel.getByText(/^Not undone, because it has changed since/).waitFor();
	assert.equal(repo.tip(), tip);
	assert.match(repo.file(path), /A second step by hand/);
});

test('an accept of what moved meanwhile is refused, previewed again, and then accepted', async () => {
	const { pay, repo, path } = await propose('On what is there now');
	rewrite(repo, path, slideOf('Moved by hand'));
	const tip = repo.tip();
	await pay.accept();
	await pay.preview.getByText('This is the new preview').waitFor();
	assert.equal(repo.tip(), tip, 'nothing was applied');
	assert.equal(repo.merges.length, 2, 'of the tests before');
	await pay.accept();
	await pay.preview.getByText('Applied.', { exact: true }).waitFor();
	await pay.rests(1);
	assert.match(repo.file(path), /On what is there now/);
	assert.equal(repo.tip(`${repo.working}^1`), tip);
});

test('edited arguments get a preview of their own, and only that one is applied', async () => {
	const { pay, repo } = await propose('As I wanted it');
	const merges = repo.merges.length;
	await pay.button('Edit', pay.preview).click();
	await pay.preview.getByRole('textbox', { name: 'Style' }).fill('quiet and plain');
	await pay.button('Preview my edit').click();
	await pay.asked();
	assert.equal(repo.merges.length, merges, 'nothing was applied');
	const drawn = (await scene.provider.requests()).filter((r) => r.raw.includes('quiet and plain'));
	assert.ok(drawn.length > 0, 'the slide was drawn from the edited arguments');
	await pay.accept();
	await pay.preview.getByText('Applied.', { exact: true }).waitFor();
	await pay.rests(1);
	assert.equal(repo.merges.length, merges + 1);
	assert.deepEqual(repo.sides, []);
});

test('an edit that cannot be previewed says why and leaves the change as it was', async () => {
	const { pay, repo } = await propose('As I wanted it at first');
	const merges = repo.merges.length;
	await pay.button('Edit', pay.preview).click();
	await pay.preview.getByRole('textbox', { name: 'Slide id' }).fill('99');
	await pay.button('Preview my edit').click();
	await pay.preview.getByText('Your edit could not be previewed.').waitFor();
	await pay.asked();
	assert.equal(repo.merges.length, merges, 'nothing was applied');
	await pay.accept();
	await pay.preview.getByText('Applied.', { exact: true }).waitFor();
	await pay.rests(1);
	assert.equal(repo.merges.length, merges + 1);
	assert.deepEqual(repo.sides, []);
});
