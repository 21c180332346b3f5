import { waitFor } from '@recording-request/stack/wait';
import { type ByHand, byHand, expectRefusal } from '../contributors/by-hand.ts';
import type { FaultCase } from '../fault-case.ts';
import type { Bench } from '../harness/harness.ts';
import type { Project } from '../owner/owner.ts';
import type { Random } from '../random.ts';

const HOLD_SECONDS = 12;
const SALVAGE_MS = 90_000;

export const wrongLengths: FaultCase = {
  name: 'declared-size-is-wrong',
  promise:
    'A length declared too small or as zero is refused with a reason, one too large is salvaged when its hold ends, and the take can be sent again',
  bounded: false,
  weight: 0,
  stage: {
    env: {
      UPLOAD_HOLD_SECONDS: String(HOLD_SECONDS),
      UPLOAD_ENDED_SECONDS: '5',
      CLAIM_HOLD_SECONDS: String(HOLD_SECONDS * 2),
      CLAIM_EMPTY_HOLD_SECONDS: String(HOLD_SECONDS * 2),
    },
    expected: { holdsEnd: true },
  },
  async run(bench, { random, short }) {
    const { plain } = await bench.projects();
    for (let times = 0; times < (short ? 2 : 6); times++) {
      const mine = random.fork(`${times}`);
      await Promise.all([
        tooSmall(bench, plain, mine.fork('small')),
        zero(bench, plain, mine.fork('zero')),
        tooLarge(bench, plain, mine.fork('large')),
        beyondTheLimit(bench, plain, mine.fork('limit')),
      ]);
    }
  },
};

async function begun(bench: Bench, project: Project, random: Random): Promise<ByHand> {
  const hand = byHand(bench, { project }, bench.take(random));
  const answer = await hand.begin();
  if (answer.status !== 201) bench.violated(`a response could not be begun: ${answer.what}`);
  return hand;
}

/** More bytes than declared are refused whole; the client begins anew, and its take lands. */
async function tooSmall(bench: Bench, project: Project, random: Random): Promise<void> {
  const hand = await begun(bench, project, random);
  const total = hand.entry.take.bytes.length;
  await hand.create({ 'upload-length': String(total - random.integer(1, 1_000)) });
  const first = random.integer(1, total - 1_500);
  await hand.patch(0, { end: first });
  expectRefusal(bench, await hand.patch(first), [400, 413], 'a body that is longer than what was declared leaves');
  const another = { 'upload-length': String(total) };
  expectRefusal(
    bench,
    await hand.patch(first, { headers: another }),
    [400],
    'another length than the one that was declared',
  );
  await hand.remove();
  const again = await hand.create();
  if (again.status !== 201) return bench.violated(`a take whose length was wrong cannot be sent again: ${again.what}`);
  await hand.finish(0);
}

async function zero(bench: Bench, project: Project, random: Random): Promise<void> {
  const hand = await begun(bench, project, random);
  const answer = await hand.create({ 'upload-length': '0' });
  expectRefusal(bench, answer, [400, 422], 'an upload of no bytes');
  const again = await hand.create();
  if (again.status !== 201) return bench.violated(`after an empty upload the take cannot be sent: ${again.what}`);
  await hand.finish(0);
}

/** Bytes that were declared never come: what is there plays, and is kept as incomplete. */
async function tooLarge(bench: Bench, project: Project, random: Random): Promise<void> {
  const hand = await begun(bench, project, random);
  const { entry } = hand;
  await hand.create({ 'upload-length': String(entry.take.bytes.length + random.integer(1, 100_000)) });
  const answer = await hand.patch(0);
  if (answer.status !== 204) bench.violated(`all bytes of fewer than declared were answered ${answer.what}`);
  entry.outcome = 'ok';
  entry.why = '';
  const salvaged = async () => {
    const all = await bench.owner.submissions(project.projectId);
    return all.find(({ sha256 }) => sha256 === entry.take.sha256);
  };
  const found = await waitFor('a salvaged take', salvaged, { timeoutMs: SALVAGE_MS, intervalMs: 500, checkMs: 10_000 });
  if (!found.incomplete) bench.violated(`${found.submissionId} lacks bytes that were declared and is not incomplete`);
}

async function beyondTheLimit(bench: Bench, project: Project, random: Random): Promise<void> {
  const hand = await begun(bench, project, random);
  const answer = await hand.create({ 'upload-length': String(2 * 1024 ** 3 + 1) });
  expectRefusal(bench, answer, [413], 'an upload of more than 2 GiB');
  for (const length of ['-1', '1e3', 'ten'])
    expectRefusal(bench, await hand.create({ 'upload-length': length }), [400, 412], `the length "${length}"`);
  const again = await hand.create();
  if (again.status !== 201) return bench.violated(`after a refused length the take cannot be sent: ${again.what}`);
  await hand.finish(0);
}
