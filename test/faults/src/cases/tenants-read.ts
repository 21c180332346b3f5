import { type ReadTarget, readErratically } from '@recording-request/testing/erratic-readers';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';
import type { Project } from '../owner/owner.ts';

const PAD_BYTES = [0, 1_500, 60_000, 900_000, 12_000_000];
const READERS = 24;
// Longer than the timeout after which an idle connection to the store ends.
const PAUSE_MS = 7_000;
const READ_MS = { short: 30_000, long: 10 * 60_000 };
const FEWEST_RESPONSES = 100;

export const tenantsRead: FaultCase = {
  name: 'tenants-read',
  promise: 'If two owners read erratically at once, no reader gets a byte of the other owner or of another position',
  bounded: false,
  weight: 0,
  limitMs: 25 * 60_000,
  harness: {
    // Media is stopped, so the videos are the uploaded files. The inspection timeout is short for the same reason.
    env: { INSPECT_SECONDS: '1', MEDIA_AT_ONCE: '1000' },
  },
  async run(harness, { random, short, signal }) {
    const projects = [await harness.owner.create(), await harness.owner.createFor(await harness.anotherOwner())];
    for (const media of harness.fleet.of('media')) await harness.fleet.stop(media);
    const targets: ReadTarget[] = [];
    for (const [at, project] of projects.entries())
      targets.push(...(await clipsOf(harness, project, random.fork(`${at}`))));
    const endsAt = Date.now() + READ_MS[short ? 'short' : 'long'];
    const { wrong, responses, refused, bytes } = await readErratically(targets, {
      ...{ baseUrl: harness.fleet.gateways[0]!, random, readers: READERS, pauseMs: PAUSE_MS },
      isEnough: () => signal.aborted || Date.now() > endsAt,
    });
    for (const { target, range, status } of wrong)
      harness.violated(`${status} with other bytes: ${JSON.stringify(range)} of ${target.content.length} bytes`);
    if (responses < FEWEST_RESPONSES) harness.violated(`only ${responses} responses were compared`);
    harness.noted(`${responses} responses with ${bytes} bytes were compared, ${refused} requests were refused`);
  },
};

/** Sends clips of all sizes to a project. Returns them and the project's archive. */
async function clipsOf(harness: Harness, project: Project, random: Parameters<FaultCase['run']>[1]['random']) {
  const targets: ReadTarget[] = [];
  for (const padBytes of PAD_BYTES) {
    const mine = random.fork(`${padBytes}`);
    const take = harness.take(mine, { padBytes });
    const entry = await harness.contribute({ project }, take, mine, { chunkBytes: 4_000_000 });
    const path = `/project/${project.projectToken}/submissions/${entry.submissionId}/video`;
    targets.push({ path, content: take.bytes });
  }
  const archive = `/project/${project.projectToken}/export/project.zip`;
  const { status, bytes } = await harness.owner.ask(archive);
  if (status !== 200) throw new Error(`the archive is ${status}`);
  return [...targets, { path: archive, content: bytes }];
}
