/** Tests that the judge finds faults. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { CACHE, makeClip } from './src/clip/make-clip.ts';
import { runTool } from './src/clip/run-ffmpeg.ts';
import { type ClipSpec, PLAIN } from './src/clip/spec.ts';
import { mismatches } from './src/judge/expected.ts';
import { judge } from './src/judge/judge.ts';

const signal = AbortSignal.timeout(300_000);
let dir = '';
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'judge-'));
});
after(() => rm(dir, { recursive: true, force: true }));

const clip = (changes: Partial<ClipSpec> = {}) => makeClip(CACHE, { ...PLAIN, ...changes }, signal);

/** Makes a thumbnail of a clip. Returns its path. */
async function pictureAt(path: string, sec: number, filter = 'null'): Promise<string> {
  const to = join(dir, `${sec}-${filter}.jpg`);
  await runTool('ffmpeg', ['-v', 'error', '-ss', String(sec), '-i', path, '-vf', filter, '-frames:v', '1', to], signal);
  return to;
}

/** Returns the faults of a clip whose stored video is `video`. */
async function faultsOf(video: string, thumbnails: string[], durationSec = 4): Promise<string> {
  const outcome = { video, audio: await clip(), thumbnails, durationSec };
  return (await judge(await clip(), PLAIN, outcome, signal)).faults.join('\n');
}

test('an identical copy has no fault, and each different copy has one', async () => {
  const same = await clip();
  const thumbnails = await Promise.all([0, 2, 3.96].map(sec => pictureAt(same, sec)));
  assert.equal(await faultsOf(same, thumbnails), '');
  const faults: Array<[Partial<ClipSpec>, RegExp]> = [
    [{ turn: 180 }, /turn/],
    [{ colour: 'bt709' }, /color_space/],
    [{ pixels: '4:3' }, /shape/],
    [{ sound: 'late 1 s' }, /has words at 1\.70 3\.12, not at 0\.40 1\.70 3\.12/],
    [{ frames: 98 }, /98 pictures, not 100[\s\S]*lasts 3\.9/],
    [{ rate: 'variable' }, /picture 2 is not the same/],
    [{ audio: 'none', sound: 'none' }, /sounds: \[\]/],
  ];
  for (const [changes, found] of faults) assert.match(await faultsOf(await clip(changes), thumbnails), found);
  assert.match(await faultsOf(same, thumbnails, 4.2), /the reported length is 4\.200 s/);
});

test('thumbnails of another moment, with other colours or turned are faults', async () => {
  const same = await clip();
  const [start, end] = [await pictureAt(same, 0), await pictureAt(same, 3.96)];
  const withMiddle = async (middle: Promise<string>) => faultsOf(same, [start, await middle, end]);
  assert.match(await withMiddle(pictureAt(same, 1.6)), /thumbnail middle shows picture 40, not 50/);
  assert.match(await withMiddle(pictureAt(same, 2, 'hflip')), /not upright/);
  assert.match(await withMiddle(pictureAt(same, 2, 'transpose=clock')), /thumbnail middle is 180x320/);
  assert.match(await withMiddle(pictureAt(same, 2, 'eq=brightness=0.2')), /thumbnail middle has red as/);
  assert.match(await faultsOf(same, []), /0 thumbnails/);
});

test('a verdict that the rules do not allow is unexpected', () => {
  const equal = { verdict: 'equal', reason: '', faults: [] } as const;
  const kept = {
    ...equal,
    verdict: 'kept',
    reason: 'The video stays as it was uploaded: a copy would lose its turn.',
  } as const;
  assert.deepEqual(mismatches(PLAIN, { ...equal, faults: [] }), []);
  assert.deepEqual(mismatches(PLAIN, { ...kept, faults: [] }), ['it should be equal']);
  const turned: ClipSpec = { ...PLAIN, container: 'webm', video: 'vp8', audio: 'opus', turn: 90 };
  assert.deepEqual(mismatches(turned, { ...kept, faults: [] }), []);
  assert.deepEqual(mismatches(turned, { ...equal, faults: [] }), ['it should be kept']);
  const other = mismatches(turned, { ...kept, reason: 'No thumbnail could be made.', faults: [] });
  assert.deepEqual(other, ['the reason is not the expected one']);
});
