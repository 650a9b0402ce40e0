// Without a mouse, and with an input method.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { until } from '../kit/program.mjs';
import { says, slideOf, slowly, variantOf } from '../kit/provider.mjs';
import { Scene } from '../kit/scene.mjs';

let scene;
before(async () => {
	scene = await Scene.start();
});
after(() => scene?.end());
afterEach(async (t) => {
	await scene.provider.reset();
	assert.deepEqual(await scene.leave(t.name), [], 'the page complained, or asked for something from elsewhere');
});

const focused = (locator) => until('it has the focus', () => locator.evaluate((e) => e === document.activeElement));

/** Goes from the message box to the change that waits; letters count there a moment later. */
async function toPreview(visitor) {
	await focused(visitor.box);
	await visitor.page.keyboard.press('ArrowUp');
	await focused(visitor.preview);
	await visitor.page.waitForTimeout(400);
}

/** Goes from control to control until one is reached; each stop must be seen to have the focus. */
async function tabTo(visitor, target, key = 'Tab') {
	for (let i = 0; i < 80; i++) {
		await visitor.page.keyboard.press(key);
		if (await target.evaluate((e) => e === document.activeElement)) {
			const ring = await target.evaluate((e) => {
				const { outlineStyle, boxShadow } = getComputedStyle(e);
				return e.matches(':focus-visible') && (outlineStyle !== 'none' || boxShadow !== 'none');
			});
			assert.ok(ring, 'the focus is seen');
			return;
		}
	}
	assert.fail(`${target} is not reached by ${key}`);
}

test('from the closed chat to an accepted change, by keys alone, and the focus comes back', async () => {
	await scene.provider.play(variantOf('A variant of slide 2.', '02', slideOf('By keys alone')));
	const pay = await scene.visit('pay');
	const { keyboard } = pay.page;
	await pay.box.waitFor();
	await keyboard.press('Control+j');
	await pay.box.waitFor({ state: 'hidden' });
	await keyboard.press('Control+j');
	await focused(pay.box);
	await keyboard.type('A variant of slide 2.');
	await keyboard.press('Enter');
	await pay.asked();
	await toPreview(pay);
	await tabTo(pay, pay.button('Accept', pay.preview));
	await keyboard.press('Enter');
	await focused(pay.box);
	await pay.preview.getByText('Applied.', { exact: true }).waitFor();
	await pay.stageShows('By keys alone');
	await keyboard.type('thanks');
	assert.equal(await pay.box.inputValue(), 'thanks', 'one can go on writing');
});

test('a preview is discarded by keys, and accepted by Ctrl+Enter on it', async () => {
	await scene.provider.play(variantOf('One.', '03', slideOf('Never kept')), variantOf('Two.', '04', slideOf('Kept at once')));
	const pay = await scene.visit('pay');
	const { keyboard } = pay.page;
	await pay.box.focus();
	await keyboard.type('One.');
	await keyboard.press('Enter');
	await pay.asked();
	await toPreview(pay);
	await tabTo(pay, pay.button('Discard', pay.preview));
	await keyboard.press('Space');
	await focused(pay.box);
	await pay.rests(1);
	await scene.provider.play(variantOf('Two.', '04', slideOf('Kept at once')));
	await keyboard.type('Two.');
	await keyboard.press('Enter');
	await pay.asked();
	await toPreview(pay);
	await keyboard.press('Control+Enter');
	await pay.preview.getByText('Applied.', { exact: true }).waitFor();
	assert.match(scene.repo('paying-client').file('slides/04-value-proposition.html'), /Kept at once/);
});

test('a preview takes no focus: what is typed when it comes, or after a reload, answers nothing', async () => {
	await scene.provider.play(variantOf('A variant of slide 6.', '06', slideOf('Never unseen')));
	const pay = await scene.visit('pay');
	const { keyboard } = pay.page;
	await pay.box.focus();
	await keyboard.type('A variant of slide 6.');
	await keyboard.press('Enter');
	await pay.asked();
	await keyboard.type('and make it blue, dear');
	assert.equal(await pay.box.inputValue(), 'and make it blue, dear');
	await pay.page.reload();
	await pay.asked();
	for (const key of ['a', 'd', 'e', 'Control+Enter']) await keyboard.press(key);
	await until('the change still waits', () => pay.button('Accept', pay.preview).isEnabled());
	assert.doesNotMatch(scene.repo('paying-client').file('slides/06-voices.html'), /Never unseen/);
});

test('a preview takes no focus from somebody who is writing', async () => {
	const rounds = variantOf('A slow variant.', '05', slideOf('Later'));
	rounds[0].delayMs = 1500;
	await scene.provider.play(rounds);
	const pay = await scene.visit('pay');
	const { keyboard } = pay.page;
	await pay.box.focus();
	await keyboard.type('A slow variant.');
	await keyboard.press('Enter');
	await keyboard.type('meanwhile I wri');
	await pay.asked();
	await keyboard.type('te on');
	assert.equal(await pay.box.inputValue(), 'meanwhile I write on');
	await focused(pay.box);
});

test('settings and conversations open and close by keys, and give the focus back', async () => {
	const pay = await scene.visit('pay');
	await pay.box.focus();
	for (const [button, sheet] of [
		[pay.button('Settings'), pay.settings],
		[pay.panel.getByRole('button', { name: /^Switch conversation/ }), pay.panel.getByRole('dialog', { name: 'Conversations' })]
	]) {
		await tabTo(pay, button, 'Shift+Tab');
		await pay.page.keyboard.press('Enter');
		await sheet.waitFor();
		await until('the focus is inside', () => sheet.evaluate((e) => e.contains(document.activeElement)));
		await pay.page.keyboard.press('Escape');
		await sheet.waitFor({ state: 'detached' });
		await focused(button);
	}
});

test('an answer is stopped by keys, and up-arrow brings the last message back', async () => {
	await scene.provider.play(says('Never end.', undefined, slowly(2000)));
	const pay = await scene.visit('pay');
	await pay.box.focus();
	await pay.page.keyboard.type('Never end.');
	await pay.page.keyboard.press('Enter');
	await pay.reads('w3');
	await tabTo(pay, pay.button('Stop'));
	await pay.page.keyboard.press('Enter');
	await pay.reads('Stopped. What was written is kept.');
	await pay.box.focus();
	await pay.page.keyboard.press('ArrowUp');
	assert.equal(await pay.box.inputValue(), 'Never end.');
	await pay.page.keyboard.press('Escape');
	assert.equal(await pay.box.inputValue(), '');
});

test('Enter that picks a word of an input method sends nothing; the next one sends', async () => {
	await scene.provider.play(says('日本語', 'はい。'));
	const pay = await scene.visit('pay');
	await pay.box.focus();
	const devtools = await pay.page.context().newCDPSession(pay.page);
	const process = async (key, code) => {
		const press = { key: 'Process', code, windowsVirtualKeyCode: 229, nativeVirtualKeyCode: 229 };
		await devtools.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...press });
		await devtools.send('Input.dispatchKeyEvent', { type: 'keyUp', ...press, key });
	};
	for (const text of ['に', 'にほ', 'にほん', 'にほんご', '日本語']) {
		await devtools.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
		await process('n', 'KeyN');
	}
	await process('Enter', 'Enter'); // picks the word; 229 is what browsers say while one composes
	assert.equal(await pay.turns.count(), 0);
	// Some browsers say Enter itself, and that one is composing.
	await devtools.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13 });
	assert.equal(await pay.turns.count(), 0);
	assert.equal(await pay.box.inputValue(), '日本語');
	await devtools.send('Input.insertText', { text: '日本語' });
	assert.equal(await pay.box.inputValue(), '日本語');
	assert.equal((await scene.provider.requests()).length, 0);
	await pay.page.keyboard.press('Shift+Enter');
	assert.equal(await pay.box.inputValue(), '日本語\n');
	await pay.page.keyboard.press('Backspace');
	await pay.page.keyboard.press('Enter');
	await pay.reads('はい。');
});
