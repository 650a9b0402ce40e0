import { describe, expect, it } from 'vitest';
import { Shelf, type Store } from '../../src/lib/state/storage.js';

class Memory implements Store {
	map = new Map<string, string>();
	getItem = (k: string) => this.map.get(k) ?? null;
	setItem(k: string, v: string) {
		this.map.set(k, v);
	}
	removeItem = (k: string) => void this.map.delete(k);
}

const noun = { kind: 'slide', id: '04', title: 'Traction' };

describe('the shelf', () => {
	it('keeps drafts apart by conversation, user and project', () => {
		const store = new Memory();
		const a = new Shelf('iaa:org:lin:deck', store);
		a.keepDraft('t1', { text: 'one', attachments: [noun] });
		expect(a.draft('t1')).toEqual({ text: 'one', attachments: [noun] });
		expect(a.draft('t2').text).toBe('');
		expect(new Shelf('iaa:org:pay:deck', store).draft('t1').text).toBe('');
	});

	it('forgets what is empty', () => {
		const store = new Memory();
		const shelf = new Shelf('s', store);
		shelf.keepDraft('t', { text: 'x', attachments: [] });
		shelf.keepDraft('t', { text: '', attachments: [] });
		shelf.keepThread('t');
		shelf.keepThread('');
		expect(store.map.size).toBe(0);
	});

	it('keeps a message that never arrived, with its id', () => {
		const shelf = new Shelf('s', new Memory());
		shelf.keepUnsent('', { text: 'x', attachments: [], messageId: 'm' });
		shelf.keepUnsent('', { text: 'y', attachments: [], messageId: 'n' });
		expect(shelf.unsent('')).toEqual([
			{ text: 'x', attachments: [], messageId: 'm' },
			{ text: 'y', attachments: [], messageId: 'n' }
		]);
		shelf.dropUnsent('', 'm');
		expect(shelf.unsent('').map((u) => u.text)).toEqual(['y']);
		shelf.dropUnsent('', 'n');
		expect(shelf.unsent('')).toEqual([]);
	});

	it('reads a message that was kept alone, as an older panel did', () => {
		const store = new Memory();
		store.map.set('s:unsent:t', '{"text":"x","messageId":"m","attachments":[]}');
		expect(new Shelf('s', store).unsent('t')).toEqual([{ text: 'x', messageId: 'm', attachments: [] }]);
	});

	it.each(['', 'null', '7', '"x"', '[]', '{"text":5,"attachments":{"0":1}}', '{"text":"a","attachments":[1,{"kind":"k"}]}', '{"__proto__":{"text":"p"}}', '{'])('reads %s without harm', (raw) => {
		const store = new Memory();
		store.map.set('s:draft:t', raw).set('s:unsent:t', raw).set('s:thread', raw);
		const shelf = new Shelf('s', store);
		expect(typeof shelf.draft('t').text).toBe('string');
		expect(shelf.draft('t').attachments).toEqual([]);
		expect(shelf.unsent('t')).toEqual([]);
		expect(typeof shelf.lastThread()).toBe('string');
	});

	it('loses nothing but the keeping when the storage refuses or is missing', () => {
		const refusing: Store = {
			getItem: () => {
				throw new Error('no');
			},
			setItem: () => {
				throw new Error('full');
			},
			removeItem: () => {}
		};
		for (const store of [refusing, undefined]) {
			const shelf = new Shelf('s', store);
			shelf.keepDraft('t', { text: 'x', attachments: [] });
			expect(shelf.draft('t').text).toBe('');
		}
	});

	it('does not keep what is larger than its limit', () => {
		const store = new Memory();
		const shelf = new Shelf('s', store);
		shelf.keepDraft('t', { text: 'x'.repeat(500 << 10), attachments: [] });
		expect(store.map.size).toBe(1);
		shelf.keepDraft('t', { text: 'x'.repeat(600 << 10), attachments: [] });
		expect(store.map.size).toBe(0);
	});
});
