/**
 * The promises of AgentClient as cases that run over any implementation, with any
 * test runner: each case throws when its promise is not kept.
 */
import type { ConformanceCase } from './conformance/bench.js';
import { changeCases } from './conformance/changes.js';
import { officeCases } from './conformance/office.js';
import { recordCases } from './conformance/records.js';
import { streamCases } from './conformance/streams.js';

export { missing, type Bench, type ConformanceCase } from './conformance/bench.js';
export { Broken } from './conformance/checks.js';

/** Every case; together they speak for every operation. */
export const conformanceCases: readonly ConformanceCase[] = [...streamCases, ...changeCases, ...recordCases, ...officeCases];
