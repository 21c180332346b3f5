/** Runs the samples and the programs of `/api/docs` against the running system. */
import { after } from 'node:test';
import { testClip } from '@recording-request/testing/clip';
import { startTestSystem } from '@recording-request/testing/test-system';
import { docsCommands } from './suites/docs-commands.ts';
import { guides } from './suites/guides.ts';
import { mirroring } from './suites/mirroring.ts';
import { samples } from './suites/samples.ts';

await using starting = new AsyncDisposableStack();
const system = starting.use(await startTestSystem());
const owner = await system.newOwner('Ada');
const mute = await testClip({ container: 'webm', audio: 'none', seconds: 1, width: 64, height: 48, frameRate: 10 });
const started = starting.move();
after(() => started.disposeAsync());

samples({ system, owner });
docsCommands({ system, owner });
guides({ system, owner, mute });
mirroring({ system, mute });
