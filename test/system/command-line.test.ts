/** Tests the command `rr` against the running system. */
import { after } from 'node:test';
import { testClip } from '@recording-request/testing/clip';
import { startTestSystem } from '@recording-request/testing/test-system';
import { commandLine } from './suites/command-line.ts';
import { commandLineMirror } from './suites/command-line-mirror.ts';
import { commandLineOutage } from './suites/command-line-outage.ts';

await using starting = new AsyncDisposableStack();
const system = starting.use(await startTestSystem({ restartable: true }));
const owner = await system.newOwner('Ada');
const mute = await testClip({ container: 'webm', audio: 'none', seconds: 1, width: 64, height: 48, frameRate: 10 });
const clip = await testClip({ container: 'webm', audio: 'none', seconds: 2, width: 320, height: 240, frameRate: 15 });
const started = starting.move();
after(() => started.disposeAsync());

commandLine({ system, owner, mute });
commandLineMirror({ system, owner, clip });
commandLineOutage({ system, owner, clip });
