import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { run } from '@recording-request/fixtures/run';
import { uuidv7 } from '@recording-request/kit/ids';
import type { RunningService } from '@recording-request/kit/lifecycle';
import { readConfig as readMediaConfig } from '@recording-request/media/config';
import { startService as startMedia } from '@recording-request/media/service';
import {
  type SubmissionsOperatorServiceServer,
  SubmissionsOperatorServiceService,
} from '@recording-request/proto/operator/v1/submissions';
import {
  type SubmissionsServiceServer,
  SubmissionsServiceService,
} from '@recording-request/proto/submissions/v1/submissions';
import { testClip } from '@recording-request/testing/clip';
import { type TestEnvironment, testEnvironment } from '@recording-request/testing/environment';
import { startTestService, type TestService } from '@recording-request/testing/test-service';
import { testStores } from '@recording-request/testing/test-stores';
import { until } from '@recording-request/testing/wait';
import {
  readConfig as readTranscriptionConfig,
  type Config as TranscriptionConfig,
} from '@recording-request/transcription/config';
import { startService as startTranscription } from '@recording-request/transcription/service';
import { readConfig } from '../src/config.ts';
import type { Submission } from '../src/domain/clips/submission.ts';
import { landedEvents } from '../src/domain/clips/submission-changes.ts';
import { migrate } from '../src/migrate.ts';
import { startService } from '../src/service.ts';
import { createJobStore } from '../src/store/jobs.ts';
import { openModels } from '../src/store/models.ts';
import { createSubmissionStore } from '../src/store/submissions.ts';
import { createRequeue } from '../src/workflows/jobs/requeue-jobs.ts';
import { type ClaimContext, createTakeJob, renewJob } from '../src/workflows/jobs/take-job.ts';
import { landed, object } from './landed-submission.ts';

// With one slot, a short deadline and two attempts, jobs wait for several deadlines. Waiting must not count as a
// failure.
const TIMES = { STUCK_SECONDS: '1', MEDIA_ASKS_MAX: '2', SWEEP_SECONDS: '1' };
const WORDS_MS = 500;
// Long, because each clip runs ffmpeg while other tests use the machine.
const PATIENCE = { limitMs: 60_000, everyMs: 250 };
const NOWHERE = '127.0.0.1:9';

const opened = new AsyncDisposableStack();
const brokenKeys = new Set<string>();
let environment: TestEnvironment;
let scratch = '';
let transcription: TestService<TranscriptionConfig, RunningService>;
/** The next speech request waits for this promise. */
let nextWords: Promise<void> | undefined;
/** The sound of a clip, made once by ffmpeg. */
let sound: Promise<Buffer> | undefined;
let service: Awaited<ReturnType<typeof startSubmissions>>;
let submissions: ReturnType<typeof createSubmissionStore>;
let alone: ReturnType<typeof openAlone> | undefined;

const startSubmissions = (env: TestEnvironment) =>
  startTestService({
    ...{ name: 'submissions', readConfig, startService, migrate, environment: env },
    env: { ...TIMES, PROJECTS_GRPC: NOWHERE, MEDIA_GRPC: NOWHERE, PUBLIC_BASE_URL: 'http://owner.test' },
  });

before(async () => {
  environment = testEnvironment();
  scratch = await mkdtemp(join(tmpdir(), 'jobs-test-'));
  opened.defer(() => rm(scratch, { recursive: true, force: true }));
  service = opened.use(await startSubmissions(environment));
  submissions = createSubmissionStore(openModels(await service.stores.database('submissions')));
  const SUBMISSIONS_GRPC = service.service.grpcAddress;
  const speech = await listening(slowSpeech());
  const store = await listening(storeWithout(brokenKeys, environment.env.S3_ENDPOINT!));
  transcription = opened.use(
    await startTestService({
      ...{ name: 'transcription', readConfig: readTranscriptionConfig, startService: startTranscription, environment },
      env: { SUBMISSIONS_GRPC, TRANSCRIPTION_SLOTS: '1', SPEECH_BASE_URL: `${speech}/v1` },
    }),
  );
  opened.use(
    await startTestService({
      ...{ name: 'media', readConfig: readMediaConfig, startService: startMedia, environment },
      env: { SUBMISSIONS_GRPC, S3_ENDPOINT: store },
    }),
  );
});
after(() => opened.disposeAsync());

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A slow speech provider. */
const slowSpeech = () =>
  createServer((request, response) => {
    request.resume().once('end', () => {
      const words = nextWords ?? delay(WORDS_MS);
      nextWords = undefined;
      words.then(() => {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"text":"Good morning."}');
      });
    });
  });

/** A proxy to the object store that answers 503 to requests for some keys. */
const storeWithout = (keys: Set<string>, target: string) =>
  createServer((request, response) => {
    if ([...keys].some(key => request.url!.includes(key))) {
      request.resume();
      response.writeHead(503).end('<Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>');
      return;
    }
    const { method, headers, url } = request;
    const onward = forward(new URL(url!, target), { method, headers }, answer => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    onward.once('error', () => response.destroy());
    request.pipe(onward);
  });

const rows = async () =>
  (await service.stores.database('submissions')).db!.collection<{ _id: string } & Submission>('submissions');

async function land(fields: Partial<Submission> & { id: string; projectId: string }): Promise<void> {
  const submission = landed({ ...fields, responseId: uuidv7() });
  await submissions.land(submission, landedEvents(submission));
}

async function soundOfWords(): Promise<Buffer> {
  const clip = await testClip({ container: 'webm', text: 'Good morning.' });
  const path = join(scratch, 'sound.m4a');
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', '-i', clip.path, '-vn', '-c:a', 'aac', path]);
  return readFile(path);
}

/** Requests the transcripts of `count` clips of a new project. */
async function askTranscripts(count: number): Promise<string> {
  const ownerId = 'o1';
  const projectId = uuidv7();
  const client = service.client<SubmissionsServiceServer>(SubmissionsServiceService);
  const objects = service.stores.objects();
  sound ??= soundOfWords();
  const bytes = await sound;
  const ready = { mediaStatus: 'ready', transcriptStatus: 'failed', video: object('video'), job: undefined } as const;
  await Promise.all(
    Array.from({ length: count }, async () => {
      const id = uuidv7();
      const audio = { ...object(`submissions/${projectId}/${id}/audio.m4a`), size: bytes.length };
      await objects.put(audio.key, bytes, { contentType: 'audio/mp4' });
      await land({ id, projectId, ownerId, ...ready, audio });
      await client.requestTranscript({ ownerId, projectId, submissionId: id });
    }),
  );
  return projectId;
}

const transcriptsOf = async (projectId: string, states: string[]) =>
  (await (await rows()).find({ projectId }).toArray()).filter(row => states.includes(row.transcriptStatus));

test('transcripts that wait for one slot longer than a deadline are all made', async () => {
  const requested = Promise.withResolvers<void>();
  nextWords = requested.promise;
  const projectId = await askTranscripts(6);
  requested.resolve();
  const ended = await until(
    'every transcript has an end',
    async () => {
      const all = await transcriptsOf(projectId, ['completed', 'failed']);
      return all.length === 6 && all;
    },
    PATIENCE,
  );
  assert.deepEqual(
    ended.filter(row => row.transcriptStatus === 'failed').map(row => row.transcriptError),
    [],
    'waiting for a slot fails no transcript',
  );
});

test('a long job blocks only its own process: another process does the waiting jobs', async () => {
  await transcription.startAnother();
  const long = Promise.withResolvers<void>();
  nextWords = long.promise;
  const projectId = await askTranscripts(5);
  const made = (count: number) => async () => (await transcriptsOf(projectId, ['completed'])).length === count;
  await until('every other transcript is made while the long job runs', made(4), PATIENCE);
  long.resolve();
  await until('the long one is made', made(5), PATIENCE);
});

test('an upload that the store cannot return blocks and fails no clip, and is retried', async () => {
  const projectId = uuidv7();
  // A small clip, so that ffmpeg has little to do.
  const picture = { width: 64, height: 36, frameRate: 5 };
  const clip = await testClip({ container: 'webm', audio: 'none', seconds: 1, ...picture });
  const objects = service.stores.objects();
  const ids = Array.from({ length: 3 }, () => uuidv7());
  const [broken, ...good] = ids;
  brokenKeys.add(broken!);
  for (const id of ids) {
    const source = { ...object(`submissions/${projectId}/${id}/source`), size: clip.bytes.length };
    await objects.put(source.key, clip.bytes, { contentType: 'video/webm' });
    await land({ id, projectId, source, transcriptStatus: 'disabled' });
  }
  const collection = await rows();
  const ended = await until(
    'every other clip has an end',
    async () => {
      const all = await collection.find({ projectId, _id: { $in: good } }).toArray();
      return all.every(row => row.mediaStatus !== 'processing') && all;
    },
    PATIENCE,
  );
  assert.ok(
    ended.every(row => row.mediaStatus === 'ready'),
    `no clip fails because another one cannot be read: ${ended.map(row => row.mediaStatus)}`,
  );
  const waiting = await until('the worker returned the job', async () => {
    const row = await collection.findOne({ _id: broken! });
    assert.notEqual(row?.mediaStatus, 'failed', 'a store that does not answer fails no clip');
    // The next attempt may be running now.
    return row?.job?.givenBack && row.job.state === 'waiting' && row.job;
  });
  assert.equal(waiting.attempts, 0, 'an outage does not count as an attempt');
  const operator = service.client<SubmissionsOperatorServiceServer>(SubmissionsOperatorServiceService);
  const { backlogs } = await operator.getBacklog({ troubledLimit: 0 });
  const media = backlogs.find(({ kind }) => kind === 'media')!;
  const [troubled] = media.troubled;
  assert.ok(
    media.oldest.some(({ submissionId }) => submissionId === broken),
    'an operator finds the clip whose job is the oldest, whether it waits or runs',
  );
  assert.equal(troubled?.submissionId, broken);
  assert.match(troubled!.problem, /upload could not be fetched/);
});

/** A database that no service uses. */
async function openAlone() {
  const name = `${environment.name}${randomUUID().slice(0, 4)}`;
  const env = { ...environment.env, MONGO_DATABASE_PREFIX: `${name}_` };
  const stores = opened.use(testStores({ env }));
  await migrate(env, () => {});
  const connection = await stores.database('submissions');
  return { connection, models: openModels(connection) };
}

/** The queue of a database that no service uses, without any submission. */
async function queueAlone() {
  alone ??= openAlone();
  const { connection, models } = await alone;
  const context: ClaimContext = {
    ...{ config: { ...service.config, mediaAsksMax: 5, stuckSeconds: 600 }, log: service.log },
    ...{ submissions: createSubmissionStore(models), jobs: createJobStore(models) },
  };
  const collection = connection.db!.collection<{ _id: string } & Submission & { outbox: unknown[] }>('submissions');
  await collection.deleteMany({});
  const row = (fields: Partial<Submission>) => {
    const { id, job, ...rest } = landed({ id: uuidv7(), responseId: uuidv7(), ...fields });
    return { _id: id, ...rest, ...(job ? { job } : {}), revision: 1, outbox: [] } as never;
  };
  /** A process of submissions that hands jobs to workers. */
  const replica = () => {
    const take = createTakeJob(context);
    return (holder = uuidv7(), again = false) => take({ kind: 'media', holder, again });
  };
  return { context, db: connection.db!, collection, replica, row };
}

test('another owner’s single job is next while 1,000 jobs of one owner wait, and the query cost does not grow with them', async () => {
  const { context, db, collection, replica, row } = await queueAlone();
  const take = replica();
  await collection.insertMany(Array.from({ length: 1_000 }, () => row({ ownerId: 'a' })));
  const ended = { set: { mediaStatus: 'ready', transcriptStatus: 'disabled', job: undefined }, events: [] } as const;
  const one = async () => {
    const taken = (await take())!;
    // Ends each job at once, so that, as with one slot, no job runs at the next query.
    await context.submissions.change({ ...taken, submissionId: taken.id }, () => ended as never);
    return taken;
  };
  for (let taken = 0; taken < 4; taken += 1) assert.equal((await one()).ownerId, 'a');
  const single = uuidv7();
  await context.submissions.land(landed({ id: single, responseId: uuidv7(), ownerId: 'b' }), []);
  await db.command({ profile: 2 });
  const next = [(await one()).id, (await one()).id];
  assert.ok(next.includes(single), 'the other owner is next, behind one job at most');
  await db.command({ profile: 0 });
  const costs = await db
    .collection('system.profile')
    .find({ ns: /submissions$/, keysExamined: { $gt: 20 } })
    .toArray();
  assert.deepEqual(
    costs.map(({ command, keysExamined }) => ({ command, keysExamined })),
    [],
    'a query reads few of the 1,000 jobs',
  );
  assert.equal((await one()).ownerId, 'a');
  for (const ownerId of ['b', 'c', 'c'])
    await context.submissions.land(landed({ id: uuidv7(), responseId: uuidv7(), ownerId }), []);
  const turns: string[] = [];
  for (let taken = 0; taken < 5; taken += 1) turns.push((await one()).ownerId);
  assert.deepEqual(turns.toSorted(), ['a', 'a', 'b', 'c', 'c'], 'owners take turns, and none is left out');
});

test('many workers get each job once and share queries of the queue, even with two processes of submissions', async () => {
  const { db, collection, replica, row } = await queueAlone();
  const replicas = [replica(), replica()];
  const owners = ['a', 'b', 'c'];
  await collection.insertMany(Array.from({ length: 60 }, (_, at) => row({ ownerId: owners[at % 3]! })));
  await db.command({ profile: 2 });
  const taken = await Promise.all(Array.from({ length: 100 }, (_, at) => replicas[at % 2]!()));
  await db.command({ profile: 0 });
  const ids = taken.flatMap(submission => (submission ? [submission.id] : []));
  assert.deepEqual([ids.length, new Set(ids).size], [60, 60]);
  assert.ok((await collection.find().toArray()).every(({ job }) => job?.attempts === 1 && job.state === 'running'));
  const looks = await db.collection('system.profile').countDocuments({ 'command.aggregate': 'submissions' });
  assert.ok(looks <= 20, `${looks} queries for 100 workers`);
});

test('a dead worker’s job goes to another worker after its lease, and a living worker keeps its job', async () => {
  const { context, collection, replica, row } = await queueAlone();
  const short = { ...context, config: { ...context.config, jobLeaseSeconds: 1 } };
  const take = replica();
  const requeue = createRequeue(short);
  const job = row({ projectId: 'p2' }) as { _id: string };
  await collection.insertOne(job as never);
  const key = { projectId: 'p2', submissionId: job._id };
  const claim = (holder: string) => ({ kind: 'media' as const, requestNumber: 0, holder });
  const requeued = async () => {
    await requeue();
    return (await collection.findOne({ _id: job._id }))?.job?.state === 'waiting';
  };
  assert.equal((await take('first'))?.id, job._id);
  assert.equal((await take('first', true))?.id, job._id, 'a worker that lost the answer gets its job again');
  assert.equal(await take('second'), undefined, 'the first worker has the job');
  assert.equal(await renewJob(short, key, claim('first'), false), true);
  await until('the lease ends', requeued, { everyMs: 100 });
  assert.equal(await renewJob(short, key, claim('first'), false), true, 'no other worker has taken it');
  await until('the lease ends again', requeued, { everyMs: 100 });
  assert.equal((await take('second'))?.id, job._id);
  assert.equal(await renewJob(context, key, claim('first'), false), false, 'the first worker has lost the job');
  const { job: running, outbox } = (await collection.findOne({ _id: job._id }))!;
  assert.deepEqual([running?.attempts, outbox.length], [2, 2], 'each requeue wakes a worker');
  assert.equal(await renewJob(context, key, claim('second'), true), true);
  assert.equal(await requeued(), false, 'a job whose result was reported is not requeued');
  assert.equal(await renewJob(context, key, claim('second'), false), false);
});

test('after a pause, workers first get time to renew their claims', async () => {
  const { context, collection, row } = await queueAlone();
  const late = { kind: 'media', state: 'running', holder: 'x', dueAt: new Date(0), since: new Date(0) } as const;
  await collection.insertOne(row({ job: { ...late, attempts: 1, givenBack: 0 } }));
  await createRequeue({ ...context, config: { ...context.config, jobLeaseSeconds: 60 } })();
  assert.equal((await collection.findOne())?.job?.state, 'running');
});
