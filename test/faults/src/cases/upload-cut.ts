import type { Random } from '@recording-request/stack/random';
import { type ByHand, byHand, expectRefusal } from '../contributors/by-hand.ts';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';
import type { Project } from '../owner/owner.ts';

const CUTS = 20;

export const uploadCut: FaultCase = {
  name: 'upload-cut-and-resumed',
  promise: 'An upload cut at any byte resumes at the acknowledged offset; a wrong offset returns 409; one writer wins',
  bounded: true,
  weight: 0,
  async run(harness, { random }) {
    const { plain } = await harness.projects();
    const lanes = 4;
    const lane = async (from: number) => {
      for (let at = from; at < CUTS; at += lanes) await cutOnce(harness, plain, random.fork(`cut ${at}`));
    };
    await Promise.all(Array.from({ length: lanes }, (_, at) => lane(at)));
    await wrongOffsets(harness, plain, random.fork('offset'));
    for (let times = 0; times < 3; times++) await twoWriters(harness, plain, random.fork(`writers ${times}`));
  },
};

async function begun(harness: Harness, project: Project, random: Random): Promise<ByHand> {
  const hand = byHand(harness, { project }, harness.take(random, { padBytes: random.integer(0, 120_000) }));
  await hand.begin();
  const deferred = random.chance(0.5);
  const answer = await hand.create(deferred ? { 'upload-defer-length': '1' } : undefined);
  if (answer.status !== 201) harness.violated(`an upload could not be created: ${answer.what}`);
  // The length is declared before the bytes are sent.
  if (deferred) await hand.patch(0, { end: 0, headers: { 'upload-length': String(hand.entry.take.bytes.length) } });
  return hand;
}

/** Cuts an upload once or twice at random bytes. */
async function cutOnce(harness: Harness, project: Project, random: Random): Promise<void> {
  const hand = await begun(harness, project, random);
  const total = hand.entry.take.bytes.length;
  let offset = 0;
  let left = 0;
  for (let cuts = random.integer(1, 2); cuts > 0 && offset < total - 1; cuts--) {
    const cutAfter = random.integer(0, total - offset - 1);
    await hand.patch(offset, { cutAfter }).catch(() => {});
    // Bytes that were sent before the cut may still arrive.
    left = Math.max(left, offset + cutAfter);
    const stands = await hand.standing();
    if (stands < offset || stands > left)
      harness.violated(`an upload with ${left} sent bytes is at ${stands}, although ${offset} was acknowledged`);
    offset = stands;
  }
  await hand.finish(offset, { chunkBytes: random.integer(10_000, 200_000) });
}

async function wrongOffsets(harness: Harness, project: Project, random: Random): Promise<void> {
  const hand = await begun(harness, project, random);
  const half = Math.floor(hand.entry.take.bytes.length / 2);
  await hand.patch(0, { end: half });
  for (const offset of [0, half - 1, half + 1, hand.entry.take.bytes.length])
    expectRefusal(harness, await hand.patch(offset), [409], `a PATCH at byte ${offset} of an upload at ${half}`);
  for (const offset of ['-1', 'abc', ''])
    expectRefusal(
      harness,
      await hand.patch(half, { headers: { 'upload-offset': offset } }),
      [400, 409],
      `a PATCH at the offset "${offset}"`,
    );
  if ((await hand.standing()) !== half) harness.violated('refused PATCHes have moved an upload');
  await hand.finish(half);
}

/** Sends the same upload from several tabs at once, whole and in chunks. The bytes must be stored once and in order. */
async function twoWriters(harness: Harness, project: Project, random: Random): Promise<void> {
  const hand = await begun(harness, project, random);
  const { entry } = hand;
  const total = entry.take.bytes.length;
  const end = AbortSignal.timeout(60_000);
  const writer = async (chunkBytes: number) => {
    while (!end.aborted && entry.outcome !== 'ok') {
      const offset = await hand.standing();
      if (offset === total) return;
      const answer = await hand.patch(offset, { end: offset + chunkBytes });
      if (answer.status === 200 || answer.status === 202)
        Object.assign(entry, { outcome: 'ok', why: '', submissionId: answer.json().submissionId });
      else if (![204, 409, 410, 423].includes(answer.status))
        harness.violated(`one of the writers got ${answer.what}: ${answer.bytes.toString().slice(0, 200)}`);
    }
  };
  await Promise.all([writer(random.integer(5_000, 30_000)), writer(random.integer(5_000, 30_000)), writer(total)]);
  if (end.aborted) harness.violated('the writers of one upload prevented each other from finishing it for a minute');
  // The other writer may have received the success response for the last byte.
  Object.assign(entry, { outcome: 'ok', why: '' });
}
