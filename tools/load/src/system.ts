import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { WebhookBodyJson } from '@recording-request/contract/webhook';
import { check } from '@recording-request/fault-test/check/checker';
import { NOTHING_EXPECTED } from '@recording-request/fault-test/check/expectations';
import { type Leftovers, openLeftovers } from '@recording-request/fault-test/check/leftovers';
import { createLedger, type Entry, type Ledger } from '@recording-request/fault-test/contributors/ledger';
import { createGatewayClient } from '@recording-request/fault-test/harness/gateway-client';
import { createOwner, type Project } from '@recording-request/fault-test/owner/owner';
import { openReceiver } from '@recording-request/fault-test/owner/receiver';
import { type Cluster, startCluster } from '@recording-request/stack/cluster';
import { withPrograms } from '@recording-request/stack/install/deployed-ffmpeg';
import type { Log } from '@recording-request/stack/log';
import { provision } from '@recording-request/stack/provision';
import { createRandom, type Random } from '@recording-request/stack/random';
import { openRecordings, type Recording } from './contributors/films.ts';
import { type Http, openHttp } from './http.ts';
import { createPipeline, type Pipeline } from './measure/pipeline.ts';

/** A project for contributors, and its owner. */
export interface Place {
  projectId: string;
  /** The URL of the shared link. */
  link: string;
  token: string;
  /** The client address of the owner's requests. */
  address: string;
}

/** The product on real servers, its owners, and the ledger of every clip. */
export interface System extends AsyncDisposable {
  readonly services: Cluster['services'];
  readonly places: readonly Place[];
  readonly http: Http;
  readonly pipeline: Pipeline;
  readonly leftovers: Leftovers;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly log: Log;
  /** One sentence for each service that ended by itself. */
  readonly crashes: readonly string[];
  /** The broken promises that contributors saw. */
  readonly broken: string[];
  /** Adds a new take of a project to the ledger. */
  newTake(place: Place, random: Random): Recording & { entry: Entry };
  /** Waits for rest. Returns the violations that the fault suite's checker finds. */
  violations(): Promise<string[]>;
}

export interface SystemOptions {
  serversEnv: Record<string, string>;
  /** The folder of ffmpeg for media and transcription; by default, they use the system's ffmpeg. */
  programs?: string;
  dir: string;
  seed: number;
  signal: AbortSignal;
  log: Log;
}

/** Several owners, so that no token reaches its rate limit. */
const OWNERS = 8;
const MOST_USES = 1_000_000;
const REST_MS = 240_000;

/** Starts the product with its defaults, except for `TRUSTED_PROXIES`, so that each contributor has a separate address. */
export async function openSystem({ serversEnv, programs, dir, seed, signal, log }: SystemOptions): Promise<System> {
  await using opening = new AsyncDisposableStack();
  const name = `l${randomBytes(5).toString('hex')}`;
  const names = { kafkaTopicPrefix: `${name}.`, mongoDatabasePrefix: `${name}_`, s3Bucket: name };
  const random = createRandom(String(seed));
  const crashes: string[] = [];
  const workDir = join(dir, 'media-work');
  await mkdir(workDir, { recursive: true });
  const cluster = opening.use(
    await startCluster({
      ...{ servers: { env: serversEnv }, dataDir: dir, ...names, signal, log },
      env: { TRUSTED_PROXIES: '1', MEDIA_WORK_DIR: workDir, ...withPrograms(programs) },
      restart: true,
      onExit: (service, { code, signal: by }) =>
        crashes.push(`${service} ended by itself (${by ?? `exit code ${code}`})`),
    }),
  );
  const place = { env: serversEnv, databasePrefix: `${name}_`, topicPrefix: `${name}.`, bucket: name };
  const leftovers = await openLeftovers(place);
  opening.use(leftovers);
  const pipeline = createPipeline();
  const receiver = opening.use(await openReceiver(id => owner.secretsOf(id)));
  receiver.answer = ({ body, at }) => {
    pipeline.received(JSON.parse(body.toString('utf8')) as WebhookBodyJson, at);
    return 204;
  };
  const gateway = createGatewayClient(() => [cluster.baseUrl], random.fork('gateway'));
  const { apiToken } = await provision(cluster);
  const owner = createOwner(gateway, apiToken, receiver.url);
  const places: Place[] = [];
  for (let at = 0; at < OWNERS; at++) {
    const { apiToken: token } = await provision(cluster);
    const project = await owner.createFor(token, {
      ...{ projectName: `Load ${at + 1}`, sharedLinkMaxUses: MOST_USES, transcriptionEnabled: true },
      webhookEvents: ['submission.media.completed', 'submission.media.failed'],
    });
    places.push({ ...placeOf(project), token, address: `192.0.2.${at + 1}` });
  }
  const ledger: Ledger = createLedger();
  const drawRecording = await openRecordings();
  const http = opening.use(openHttp(cluster.baseUrl, signal));
  const parts = opening.move();
  return {
    ...{ services: cluster.services, places, http, pipeline, leftovers, random, signal, log, crashes },
    broken: ledger.violations,
    newTake({ projectId, link }, own) {
      const recording = drawRecording(own);
      const entry: Entry = {
        ...{ take: recording.take, projectId, link, responseSessionId: randomUUID(), questionIndex: 0 },
        ...{ outcome: 'unknown', submissionId: undefined, why: 'it was still sending' },
      };
      ledger.entries.push(entry);
      return { ...recording, entry };
    },
    violations: () =>
      check(
        {
          ...{ owner, ledger, leftovers, expected: NOTHING_EXPECTED, violations: ledger.violations },
          // Passes only the events that every project gets, because the checker does not know other events.
          receiver: {
            ...receiver,
            get events() {
              return new Map([...receiver.events].filter(([, { type }]) => !type.startsWith('submission.media.')));
            },
          },
          noted: log,
          workDir,
        },
        random.fork('check'),
        REST_MS,
      ),
    async [Symbol.asyncDispose]() {
      await cluster.stop();
      await leftovers.erase().catch(() => {});
      await parts.disposeAsync();
    },
  };
}

const placeOf = ({ projectId, sharedUrl }: Project) => ({ projectId, link: sharedUrl });
