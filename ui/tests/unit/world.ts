import { once, type World } from '../../src/lib/client/clock.js';

/** A world with a clock that can be set, and what was slept. */
export type TestWorld = World & { slept: number[]; t: number };

/** A world whose time passes by itself and at once: sleeping is a tick, and is written down. */
export function testWorld(over: Partial<World> = {}): TestWorld {
	const world: TestWorld = {
		slept: [],
		t: 0,
		fetch: globalThis.fetch,
		random: () => 0.5,
		now: () => world.t,
		online: () => true,
		untilOnline: (signal) => once(signal, () => () => {}),
		untilOffline: (signal) => once(signal, () => () => {}),
		visible: () => true,
		sleep(ms, signal) {
			return once(signal, (resolve) => {
				// Long sleeps are watchdogs and deadlines: they never end by themselves here.
				if (ms >= 20_000) return () => {};
				world.slept.push(ms);
				const timer = setImmediate(() => {
					world.t += ms;
					resolve();
				});
				return () => clearImmediate(timer);
			});
		},
		...over
	};
	return world;
}
