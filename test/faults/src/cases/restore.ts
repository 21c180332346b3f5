import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startServers } from '@recording-request/stack/servers';
import { operatorEnv, type ServiceName } from '@recording-request/stack/service-plan';
import { waitFor } from '@recording-request/stack/wait';
import mongoose from 'mongoose';
import { ended } from '../check/wait-for-clips.ts';
import { byHand } from '../contributors/by-hand.ts';
import type { Entry } from '../contributors/ledger.ts';
import type { FaultCase } from '../fault-case.ts';
import type { Harness } from '../harness/harness.ts';

const ADMIN = fileURLToPath(new URL('../../../../tools/admin/src/main.ts', import.meta.url));
const NEW_SERVERS = ['mongo', 'kafka', 's3'] as const;
const COMMAND_MS = 240_000;
const MEDIA_MS = 180_000;
/** The halt lasts long enough for the relay to publish the events and for a backup to begin. */
const HALTED_MS = 5_000;
const AGREES_MS = 90_000;

let others: AsyncDisposableStack | undefined;

export const restore: FaultCase = {
  name: 'restore',
  promise:
    'A backup of a running system, restored into empty servers, has every take acknowledged before it, and finishes all work in progress',
  bounded: false,
  limitMs: 15 * 60_000,
  harness: {
    // The public URL stays the same on the new servers.
    env: { PUBLIC_BASE_URL: 'http://recording.test' },
    serviceEnv: { media: { MEDIA_SLOTS: '1' } },
    async servers(_dataDir, stack) {
      others = stack.use(new AsyncDisposableStack());
      return {};
    },
  },
  async run(harness, { random, submissions, signal }) {
    const dir = join(harness.dataDir, 'backup');
    const { plain } = await harness.projects();
    // At the start of the backup, two takes are in progress: one is landing, and the other has acknowledged bytes.
    const open = byHand(harness, { project: plain }, harness.take(random.fork('open'), { padBytes: 200_000 }));
    await open.begin();
    await open.create();
    const middle = Math.floor(open.entry.take.bytes.length / 2);
    await open.patch(0, { end: middle });

    const before = await harness.load(Math.ceil(submissions / 2), random.fork('before'), { speech: 0.3 });
    // These events are only in Kafka when the backup begins.
    const [webhooks] = harness.fleet.of('webhooks');
    harness.fleet.halt(webhooks!);
    before.push(...(await harness.load(4, random.fork('unheard'), { width: 4, speech: 0.3 })));
    const published = delay(HALTED_MS).then(() => harness.fleet.resume(webhooks!));
    let copying = true;
    const later: Entry[] = [];
    // Contributes until the backup is complete, because clips that land during the backup must not remove objects that
    // the backup still needs.
    const meanwhile = (async () => {
      for (let round = 0; (copying || round === 0) && !signal.aborted; round++)
        later.push(...(await harness.load(4, random.fork(`meanwhile ${round}`), { width: 4, speech: 0.3 })));
    })();
    harness.noted(last(await admin(harness, ['backup', '--to', dir])));
    copying = false;
    await Promise.all([meanwhile, published]);
    // The backup may contain or lack these takes, whether they landed or not.
    for (const entry of later) Object.assign(entry, { outcome: 'unknown', why: 'it was sent during the backup' });

    await harness.move(async () => {
      const servers = await newServers(harness);
      harness.noted(last(await admin(harness, ['restore', '--from', dir, '--send-webhooks'], servers)));
      await forgetUnknownEvents(harness, servers.MONGO_URL!);
      return servers;
    });
    const stands = await open.standing();
    if (stands < middle) harness.violated(`the open upload is at ${stands} after ${middle} was acknowledged`);
    await open.finish(stands);
    await ended(harness, [...before, open.entry], 'media', { limitMs: MEDIA_MS, signal });
    await harness.load(4, random.fork('after'), { speech: 0.5 });
    await agrees(harness, signal);
  },
};

const last = (text: string): string => text.trim().split('\n')[0]!;

async function newServers(harness: Harness): Promise<Record<string, string>> {
  const own = Object.entries(process.env).filter(([name]) => !/^(?:MONGO_URL|KAFKA_BROKERS|S3_)/.test(name));
  const servers = await startServers({
    dataDir: join(harness.dataDir, 'empty-servers'),
    only: [...NEW_SERVERS],
    log: () => {},
    env: Object.fromEntries(own),
  });
  others!.use(servers);
  return servers.env;
}

/** Runs the operator's command line. Rejects with its output when it fails. */
function admin(harness: Harness, words: string[], servers = harness.serversEnv): Promise<string> {
  const name = harness.topicPrefix.slice(0, -1);
  const { fleet } = harness;
  const first = (service: ServiceName) => fleet.of(service)[0]!;
  const operatorAddresses = operatorEnv({
    projects: first('projects'),
    submissions: first('submissions'),
    webhooks: first('webhooks'),
  });
  const env = {
    ...{ ...process.env, ...fleet.certificates.env('operator'), ...operatorAddresses, ...servers },
    ...{ MONGO_DATABASE_PREFIX: `${name}_`, KAFKA_TOPIC_PREFIX: `${name}.`, S3_BUCKET: name },
  };
  return new Promise((resolve, reject) =>
    execFile(
      process.execPath,
      ['--disable-warning=TimeoutNegativeWarning', ADMIN, ...words],
      { env, timeout: COMMAND_MS },
      (error, stdout, stderr) =>
        error ? reject(new Error(`admin ${words.join(' ')}: ${stdout}${stderr}`)) : resolve(stdout),
    ),
  );
}

/**
 * Removes the events that the receiver got after the backup. The restored system does not know them and may send them again.
 * The receiver must have every event that the restored ledger marks as delivered.
 */
async function forgetUnknownEvents({ receiver, topicPrefix, violated }: Harness, mongoUrl: string): Promise<void> {
  const mongo = await mongoose.createConnection(mongoUrl).asPromise();
  const name = `${topicPrefix.slice(0, -1)}_webhooks`;
  const rows = await mongo
    .useDb(name)
    .db!.collection<{ _id: string }>('deliveries')
    .find({ state: 'delivered' })
    .toArray();
  await mongo.close();
  const delivered = new Set(rows.map(({ _id }) => _id));
  for (const id of delivered)
    if (!receiver.events.has(id)) violated(`event ${id} is marked as delivered but was never received`);
  for (const id of [...receiver.events.keys()]) if (!delivered.has(id)) receiver.events.delete(id);
}

async function agrees(harness: Harness, signal: AbortSignal): Promise<void> {
  let output = '';
  const look = async () => {
    output = await admin(harness, ['check', '--deep']).catch(error => (error as Error).message);
    if (!output.includes('they do not agree')) return output;
    await delay(1_000, undefined, { signal });
    return undefined;
  };
  const limits = { timeoutMs: AGREES_MS, checkMs: COMMAND_MS, intervalMs: 500, signal };
  const end = await waitFor('agreement', look, limits).catch(() => undefined);
  if (!end?.includes('the object store agree')) harness.violated(`after the restore: ${output}`);
  else harness.noted(`check --deep: ${last(end)}`);
}
