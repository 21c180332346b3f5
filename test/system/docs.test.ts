/** Runs the samples of `/api/docs` against the running system. */
import { after } from 'node:test';
import { startTestSystem } from '@recording-request/testing/test-system';
import { samples } from './suites/samples.ts';

await using starting = new AsyncDisposableStack();
const system = starting.use(await startTestSystem());
const owner = await system.newOwner('Ada');
const started = starting.move();
after(() => started.disposeAsync());

samples({ system, owner });
