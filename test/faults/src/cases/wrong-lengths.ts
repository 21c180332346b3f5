import type { Random } from '@recording-request/stack/random';
import { waitFor } from '@recording-request/stack/wait';
import { type ByHand, byHand, expectRefusal } from '../contributors/by-hand.ts';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';
import type { Project } from '../owner/owner.ts';

const HOLD_SECONDS = 12;
const SALVAGE_MS = 90_000;

export const wrongLengths: FaultCase = {
  name: 'declared-size-is-wrong',
  promise:
    'An upload with a declared length of zero or too small is refused with a reason; one too large is salvaged when its hold ends; the take can be sent again',
  bounded: false,
  weight: 0,
  harness: {
    env: {
      UPLOAD_HOLD_SECONDS: String(HOLD_SECONDS),
      UPLOAD_ENDED_SECONDS: '5',
      CLAIM_HOLD_SECONDS: String(HOLD_SECONDS * 2),
      CLAIM_EMPTY_HOLD_SECONDS: String(HOLD_SECONDS * 2),
    },
    expected: { holdsEnd: true },
  },
  async run(harness, { random, short }) {
    const { plain } = await harness.projects();
    for (let times = 0; times < (short ? 2 : 6); times++) {
      const mine = random.fork(`${times}`);
      await Promise.all([
        tooSmall(harness, plain, mine.fork('small')),
        zero(harness, plain, mine.fork('zero')),
        tooLarge(harness, plain, mine.fork('large')),
        beyondTheLimit(harness, plain, mine.fork('limit')),
      ]);
    }
  },
};

async function begun(harness: Harness, project: Project, random: Random): Promise<ByHand> {
  const hand = byHand(harness, { project }, harness.take(random));
  const answer = await hand.begin();
  if (answer.status !== 201) harness.violated(`a response could not be begun: ${answer.what}`);
  return hand;
}

/** Sends more bytes than declared. The service refuses all of them. Then a second upload of the take lands. */
async function tooSmall(harness: Harness, project: Project, random: Random): Promise<void> {
  const hand = await begun(harness, project, random);
  const total = hand.entry.take.bytes.length;
  await hand.create({ 'upload-length': String(total - random.integer(1, 1_000)) });
  const first = random.integer(1, total - 1_500);
  await hand.patch(0, { end: first });
  expectRefusal(harness, await hand.patch(first), [400, 413], 'a body beyond the declared length');
  const another = { 'upload-length': String(total) };
  expectRefusal(harness, await hand.patch(first, { headers: another }), [400], 'a length other than the declared one');
  await hand.remove();
  const again = await hand.create();
  if (again.status !== 201) return harness.violated(`a take with a wrong length cannot be sent again: ${again.what}`);
  await hand.finish(0);
}

async function zero(harness: Harness, project: Project, random: Random): Promise<void> {
  const hand = await begun(harness, project, random);
  const answer = await hand.create({ 'upload-length': '0' });
  expectRefusal(harness, answer, [400, 422], 'an upload without bytes');
  const again = await hand.create();
  if (again.status !== 201) return harness.violated(`a take cannot be sent after an empty upload: ${again.what}`);
  await hand.finish(0);
}

/** Sends fewer bytes than declared. The clip plays and is marked incomplete. */
async function tooLarge(harness: Harness, project: Project, random: Random): Promise<void> {
  const hand = await begun(harness, project, random);
  const { entry } = hand;
  await hand.create({ 'upload-length': String(entry.take.bytes.length + random.integer(1, 100_000)) });
  const answer = await hand.patch(0);
  if (answer.status !== 204) harness.violated(`fewer bytes than declared returned ${answer.what}`);
  entry.outcome = 'ok';
  entry.why = '';
  const salvaged = async () => {
    const all = await harness.owner.submissions(project.projectId);
    return all.find(({ sha256 }) => sha256 === entry.take.sha256);
  };
  const found = await waitFor('a salvaged take', salvaged, { timeoutMs: SALVAGE_MS, intervalMs: 500, checkMs: 10_000 });
  if (!found.incomplete) harness.violated(`${found.submissionId} lacks declared bytes but is not incomplete`);
}

async function beyondTheLimit(harness: Harness, project: Project, random: Random): Promise<void> {
  const hand = await begun(harness, project, random);
  const answer = await hand.create({ 'upload-length': String(2 * 1024 ** 3 + 1) });
  expectRefusal(harness, answer, [413], 'an upload of more than 2 GiB');
  for (const length of ['-1', '1e3', 'ten'])
    expectRefusal(harness, await hand.create({ 'upload-length': length }), [400, 412], `the length "${length}"`);
  const again = await hand.create();
  if (again.status !== 201) return harness.violated(`a take cannot be sent after a refused length: ${again.what}`);
  await hand.finish(0);
}
