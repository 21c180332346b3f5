import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { BYTES, byHand } from '../contributors/by-hand.ts';
import { contributeAll } from '../contributors/contribute-all.ts';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';
import { readSlowly, sendSlowly } from '../harness/slow-http.ts';
import type { Project } from '../owner/owner.ts';
import type { Random } from '../random.ts';

const READERS = 140;
const READ_BYTES_PER_SECOND = 1_000;
/** More than the buffers between the store and a reader hold. */
const ZIP_CLIPS = 12;
const ZIP_PAD_BYTES = 2_500_000;
/** A contributor is not kept waiting longer than this by what readers do. */
const START_MS = 5_000;

export const slowZipReaders: FaultCase = {
  name: 'slow-zip-readers',
  promise: 'However many read an archive however slowly, contributors begin, send and land as if nobody did',
  bounded: false,
  weight: 0,
  restMs: 120_000,
  harness: { env: { UPLOAD_PART_BYTES: '4194304' } },
  async run(harness, { random, short, signal }) {
    const project = await harness.owner.create();
    // Without media the archive has the clips as they came, with all their padding.
    for (const media of harness.fleet.of('media')) await harness.fleet.stop(media);
    await contributeAll(harness, project, ZIP_CLIPS, random.fork('archive'), { padBytes: ZIP_PAD_BYTES });
    const leave = new AbortController();
    const end = AbortSignal.any([signal, leave.signal]);
    const url = new URL(`/project/${project.projectToken}/export/project.zip`, harness.fleet.gateways[0]).href;
    const statuses: number[] = [];
    const readers = Array.from({ length: READERS }, async () => {
      const answer = await readSlowly(url, { bytesPerSecond: READ_BYTES_PER_SECOND, signal: end });
      if (answer) statuses.push(answer.status);
    });
    await delay(3_000, undefined, { signal });
    const before = harness.gateway.incidents.length;
    for (let at = 0; at < (short ? 3 : 10); at++) {
      const mine = random.fork(`during ${at}`);
      const hand = byHand(harness, { project }, harness.take(mine));
      const began = Date.now();
      const answer = await hand.begin();
      const took = Date.now() - began;
      if (answer.status !== 201) harness.violated(`a response could not begin while others read: ${answer.what}`);
      if (took > START_MS) harness.violated(`a response began after ${took} ms while others read an archive`);
      await hand.create();
      await hand.finish(0);
    }
    for (const { at, what } of harness.gateway.incidents.slice(before))
      harness.violated(`a contributor met slow readers (${at.toISOString()}): ${what}`);
    leave.abort();
    await Promise.all(readers);
    for (const status of statuses)
      if (![200, 206, 429, 503].includes(status)) harness.violated(`a slow reader was answered ${status}`);
  },
};

const PATCHES = 100;
/** As much as a request may hold in memory before it stores a part, by default. */
const PART_BYTES = 4 * 1024 ** 2;
const SENT_BYTES = PART_BYTES - 64 * 1024;
/** All but these many bytes are sent at once: so much is in memory until the last of them. */
const TRICKLED_BYTES = 32;
const PATCH_MS = { short: 20_000, long: 40_000 };
const MIB = 1024 ** 2;
/** As deploy/k8s/base/submissions.yaml gives it. */
const MEMORY_LIMIT_MIB = 768;

export const slowPatches: FaultCase = {
  name: 'slow-patches-memory',
  promise: 'However many send slowly, a service stays below the memory that its manifest gives it, or says 503',
  bounded: false,
  weight: 0,
  restMs: 120_000,
  harness: { env: { UPLOAD_PART_BYTES: String(PART_BYTES) } },
  async run(harness, { random, short, signal }) {
    const project = await harness.owner.create();
    const watching = await watchMemory(harness, signal);
    const idle = watching.peak();
    const everyMs = PATCH_MS[short ? 'short' : 'long'] / TRICKLED_BYTES;
    await Promise.all(
      Array.from({ length: PATCHES }, (_, at) =>
        sendLarge(harness, project, random.fork(`${at}`), { everyMs, finishes: at % 10 === 0, signal }),
      ),
    );
    const peak = watching.peak();
    watching.stop();
    if (peak > MEMORY_LIMIT_MIB)
      harness.violated(
        `submissions took ${peak} MiB of its ${MEMORY_LIMIT_MIB} while ${PATCHES} sent slowly (${idle} before)`,
      );
  },
};

/** One slow PATCH of nearly a part, retried as long as the service says 503; then the rest, unless the contributor leaves. */
async function sendLarge(
  harness: Harness,
  project: Project,
  random: Random,
  { everyMs, finishes, signal }: { everyMs: number; finishes: boolean; signal: AbortSignal },
): Promise<void> {
  const take = harness.take(random, { padBytes: SENT_BYTES });
  const hand = byHand(harness, { project }, take);
  await hand.begin();
  await hand.create();
  const begun = SENT_BYTES - TRICKLED_BYTES;
  const rest = Array.from({ length: TRICKLED_BYTES }, (_, at) => take.bytes.subarray(begun + at, begun + at + 1));
  const pieces = [take.bytes.subarray(0, begun), ...rest];
  let offset = 0;
  for (let tries = 0; tries < 60 && offset === 0; tries++) {
    const answer = await sendSlowly(new URL(hand.upload, harness.fleet.gateways[0]).href, {
      ...{ method: 'PATCH', headers: { ...BYTES, 'upload-offset': '0' }, pieces, everyMs, signal },
    });
    if (answer?.status === 503) await delay(random.integer(500, 2_000), undefined, { signal });
    else if (answer && answer.status !== 204)
      harness.violated(`a slow PATCH was answered ${answer.status}: ${answer.body}`);
    offset = await hand.standing();
  }
  if (finishes) await hand.finish(offset);
  else hand.entry.why = 'its contributor left';
}

/** Samples what the processes of submissions have resident, in MiB. */
async function watchMemory({ fleet }: Harness, signal: AbortSignal): Promise<{ peak(): number; stop(): void }> {
  let peak = 0;
  const look = async () => {
    for (const { pid } of fleet.of('submissions')) {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      peak = Math.max(peak, Math.round((Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024) / MIB));
    }
  };
  await look();
  const timer = setInterval(() => void look(), 200);
  const stop = () => clearInterval(timer);
  signal.addEventListener('abort', stop, { once: true });
  return { peak: () => peak, stop };
}
