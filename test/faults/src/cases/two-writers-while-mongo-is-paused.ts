import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@recording-request/stack/random';
import { BYTES, type ByHand, byHand } from '../contributors/by-hand.ts';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';
import { ownServers } from '../harness/own-servers.ts';
import { sendSlowly } from '../harness/slow-http.ts';
import type { Project } from '../owner/owner.ts';

const UPLOADS = { short: 12, long: 16 };
const TRICKLED_BYTES = 48_000;
const PIECES = 12;
const PIECE_MS = 250;
/**
 * The time from the start of the writers to the pause of MongoDB, for each round. By then, one writer has the lease,
 * but no byte is written.
 */
const HALTED_AFTER_MS = { short: [120, 300], long: [60, 120, 200, 350] };
/** Longer than a writer's lease. */
const HALT_MS = 5_000;
const LIMIT_MS = 100_000;

const mongo = ownServers('mongo');

export const twoWritersWhileMongoIsPaused: FaultCase = {
  name: 'upload-two-writers-mongo-paused',
  promise: 'If two tabs send one upload while MongoDB is paused past their lease, acknowledged bytes are stored once',
  bounded: false,
  weight: 0,
  restMs: 120_000,
  harness: { servers: mongo.start, env: { UPLOAD_LEASE_SECONDS: '2', UPLOAD_PART_BYTES: '4194304' } },
  async run(harness, { random, short, signal }) {
    const project = await harness.owner.create();
    const form = short ? 'short' : 'long';
    for (const haltedAfterMs of HALTED_AFTER_MS[form]) {
      const round = random.fork(`halted after ${haltedAfterMs} ms`);
      const begun = await Promise.all(
        Array.from({ length: UPLOADS[form] }, (_, at) => begin(harness, project, round.fork(`upload ${at}`))),
      );
      const uploads = begun.map((hand, at) => sendTwice(harness, hand, round.fork(`writers ${at}`), signal));
      await delay(haltedAfterMs, undefined, { signal });
      mongo.halt('mongo');
      await delay(HALT_MS, undefined, { signal });
      mongo.resume('mongo');
      await Promise.all(uploads);
    }
  },
};

async function begin(harness: Harness, project: Project, random: Random): Promise<ByHand> {
  const hand = byHand(harness, { project }, harness.take(random, { padBytes: TRICKLED_BYTES }));
  await hand.begin();
  const created = await hand.create();
  if (created.status !== 201) throw new Error(`an upload could not be created: ${created.what}: ${created.bytes}`);
  return hand;
}

/**
 * Two writers send the same bytes at once, each from the upload's current offset. Then one of the writers sends the
 * rest.
 */
async function sendTwice(harness: Harness, hand: ByHand, random: Random, signal: AbortSignal): Promise<void> {
  const { take } = hand.entry;
  let acknowledged = 0;
  const end = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  const writer = async (index: number) => {
    while (acknowledged < TRICKLED_BYTES && !end.aborted) {
      const offset = acknowledged;
      const answer = await sendSlowly(new URL(hand.upload, harness.fleet.gateways[0]).href, {
        ...{ method: 'PATCH', headers: { ...BYTES, 'upload-offset': String(offset) } },
        ...{ pieces: cut(take.bytes.subarray(offset, TRICKLED_BYTES)), everyMs: PIECE_MS, signal: end },
      });
      if (answer?.status === 204) acknowledged = Math.max(acknowledged, Number(answer.headers['upload-offset']));
      else {
        await delay(random.integer(200, 600) * (index + 1), undefined, { signal: end }).catch(() => {});
        acknowledged = Math.max(acknowledged, await standing(hand, acknowledged, harness));
      }
    }
  };
  await Promise.all([writer(0), writer(1)]);
  if (acknowledged < TRICKLED_BYTES) harness.violated('two writers prevented each other from finishing an upload');
  await hand.finish(await standing(hand, acknowledged, harness));
}

async function standing(hand: ByHand, acknowledged: number, { violated }: Pick<Harness, 'violated'>): Promise<number> {
  // Requests may time out while the server is paused.
  for (let tries = 0; ; tries++) {
    try {
      const offset = await hand.standing();
      if (offset < acknowledged) violated(`an upload was at byte ${offset} after ${acknowledged} was acknowledged`);
      return offset;
    } catch (error) {
      if (tries > 5) throw error;
      await delay(1_000);
    }
  }
}

function cut(bytes: Buffer): Buffer[] {
  const size = Math.max(1, Math.ceil(TRICKLED_BYTES / PIECES));
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}
