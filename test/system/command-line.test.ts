/** Tests the command `rr` against the running system. RR_CLIPS and RR_KILLS make the tests of kills longer. */
import { after } from 'node:test';
import { testClip } from '@recording-request/testing/clip';
import { startTestSystem } from '@recording-request/testing/test-system';
import { commandLine } from './suites/command-line.ts';
import { commandLineKills } from './suites/command-line-kills.ts';

await using starting = new AsyncDisposableStack();
const system = starting.use(await startTestSystem());
const owner = await system.newOwner('Ada');
const mute = await testClip({ container: 'webm', audio: 'none', seconds: 1, width: 64, height: 48, frameRate: 10 });
const started = starting.move();
after(() => started.disposeAsync());

commandLine({ system, owner, mute });
commandLineKills({ system, owner, mute });
