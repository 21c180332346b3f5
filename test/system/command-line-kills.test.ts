/**
 * Kills the commands `rr pull`, `rr listen` and `rr send` at random moments, with a running system. RR_CLIPS and RR_KILLS
 * set the numbers of clips and kills; `npm run rr-kills` is the long form.
 */
import { after } from 'node:test';
import { testClip } from '@recording-request/testing/clip';
import { startTestSystem } from '@recording-request/testing/test-system';
import { startScriptedSpeech } from './harness/scripted-speech.ts';
import { commandLineKills } from './suites/command-line-kills.ts';
import { commandLineSend } from './suites/command-line-send.ts';

const CLIPS = Number(process.env.RR_CLIPS ?? 6);
const KILLS = Number(process.env.RR_KILLS ?? 5);

await using starting = new AsyncDisposableStack();
const speech = starting.use(await startScriptedSpeech('We bake the bread at five in the morning.'));
const system = starting.use(await startTestSystem({ env: { SPEECH_BASE_URL: speech.baseUrl } }));
const owner = await system.newOwner('Ada');
const clip = await testClip({ container: 'webm', text: 'good morning', width: 64, height: 48, frameRate: 10 });
const started = starting.move();
after(() => started.disposeAsync());

commandLineKills({ system, owner, clip }, { clips: CLIPS, kills: KILLS });
commandLineSend({ system, owner, clip }, Math.ceil(KILLS / 2));
