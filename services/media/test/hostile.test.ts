import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import type { Kafka } from '@recording-request/events/kafka';
import { HOSTILE, type Hostile, makeHostile } from '@recording-request/fixtures/hostile';
import { childrenOf } from '@recording-request/harness/proc';
import { DomainError } from '@recording-request/kit/errors';
import { uuidv7 } from '@recording-request/kit/ids';
import { createLogger } from '@recording-request/kit/log';
import type { Objects } from '@recording-request/kit-objects/objects';
import type { ClientOf } from '@recording-request/kit-rpc/grpc-client';
import type { GrpcServer } from '@recording-request/kit-rpc/grpc-server';
import type { MediaProcessed } from '@recording-request/proto/events/v1/events';
import { type Inspection, type MediaServiceServer, MediaServiceService } from '@recording-request/proto/media/v1/media';
import type { MediaJob } from '@recording-request/proto/work/v1/work';
import { watchMemory } from '@recording-request/testing/child-processes';
import { CLIPS, testClip } from '@recording-request/testing/clip';
import { type EventInbox, openInbox } from '@recording-request/testing/event-inbox';
import { fakeWork, startFakeServices } from '@recording-request/testing/fake-services';
import { startTestService, type TestService } from '@recording-request/testing/test-service';
import { until } from '@recording-request/testing/wait';
import { type Config, readConfig } from '../src/config.ts';
import { type MediaService, startService } from '../src/service.ts';
import { OUTCOMES } from './hostile-outcomes.ts';

const FINAL_MS = 60_000;
const MEMORY_BYTES = 1024 ** 3;
// The longest clip that a project allows, plus the time that a recorder may take to stop.
const LONGEST_SEC = 602;
const SECRETS = ['LOCAL-SECRET', 'ATTACHED-SECRET', 'TAGGED-SECRET', 'HTML-SECRET', 'root:x:0:'];
const log = createLogger('media', 'silent');

let scratch = '';
let listener: Server;
let visits = 0;
let media: TestService<Config, MediaService>;
const work = fakeWork();
let submissions: GrpcServer;
let objects: Objects;
let kafka: Kafka;
let inbox: EventInbox;
let client: ClientOf<MediaServiceServer>;
let otherClip: Buffer;
let good: Buffer;
const files = new Map<Hostile, Buffer>();
const memory = watchMemory();

before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'hostile-'));
  listener = createServer((_request, response) => response.end(otherClip)).on('connection', () => {
    visits += 1;
  });
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve));
  const baits = {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/bait.mp4`,
    clip: (await testClip({ container: 'mp4', audio: 'none', seconds: 2, width: 352, height: 288 })).path,
    text: join(scratch, 'secret.txt'),
    dir: CLIPS,
  };
  await writeFile(baits.text, 'LOCAL-SECRET\n'.repeat(500));
  otherClip = await readFile(baits.clip);
  good = (await testClip({ container: 'webm', audio: 'silence', seconds: 3 })).bytes;
  for (const name of HOSTILE) files.set(name, await makeHostile(name, baits));
  submissions = await startFakeServices([work]);
  const limits = {
    SUBMISSIONS_GRPC: submissions.address,
    MEDIA_SLOTS: '2',
    MEDIA_WORK_DIR: scratch,
    MEDIA_PROBE_CPU_SECONDS: '2',
    MEDIA_INSPECT_SECONDS: '60',
  };
  media = await startTestService({ name: 'media', readConfig, startService, env: limits, log, deadlineMs: FINAL_MS });
  objects = media.stores.objects();
  kafka = await media.stores.kafka();
  inbox = await openInbox(kafka, 'media.events');
  client = media.client<MediaServiceServer>(MediaServiceService);
  memory.start();
});
after(async () => {
  memory.stop();
  await media?.[Symbol.asyncDispose]();
  await submissions?.close(0);
  listener?.close();
  await rm(scratch, { recursive: true, force: true });
});

async function upload(bytes: Buffer): Promise<MediaJob> {
  const [projectId, submissionId] = [uuidv7(), uuidv7()];
  const sourceKey = `submissions/${projectId}/${submissionId}/source`;
  await objects.put(sourceKey, bytes, { contentType: 'application/octet-stream' });
  return { projectId, submissionId, sourceKey };
}

async function inspected(objectKey: string): Promise<Inspection | string> {
  try {
    return (await client.inspect({ objectKey })).inspection!;
  } catch (error) {
    assert.ok(error instanceof DomainError && error.code === 'unprocessable', `Inspect: ${error}`);
    return error.message;
  }
}

async function processed(value: MediaJob): Promise<{ type: string; reason: string; hasVideo: boolean }> {
  await work.give(kafka, { $case: 'media', value });
  const id = value.submissionId;
  const answer = await inbox.first(({ payload }) => (payload!.value as MediaJob).submissionId === id, FINAL_MS);
  const { reason, problem, video } = answer.payload!.value as Partial<MediaProcessed & { reason: string }>;
  return { type: answer.type, reason: reason ?? problem ?? '', hasVideo: video !== undefined };
}

/** Returns the stored objects except the upload. */
async function outputsOf({ projectId, submissionId, sourceKey }: MediaJob): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  for await (const { key } of objects.list(`submissions/${projectId}/${submissionId}/`))
    if (key !== sourceKey) found.set(key, await buffer(await objects.get(key)));
  return found;
}

function assertNothingCarriedAway(outputs: Map<string, Buffer>, own: Buffer): void {
  const isOthers = (bytes: Buffer, sample: Buffer) => bytes.includes(sample) && !own.includes(sample);

  for (const [key, bytes] of outputs) {
    for (const secret of SECRETS) assert.ok(!bytes.includes(secret), `${key} holds ${secret}`);
    for (let at = otherClip.length >> 2; at < otherClip.length - 48; at += 4_096)
      assert.ok(!isOthers(bytes, otherClip.subarray(at, at + 48)), `${key} holds bytes of another clip`);
  }
}

describe('hostile media', { concurrency: 2 }, () => {
  for (const name of HOSTILE)
    test(`${name}: ${OUTCOMES[name]}`, { timeout: 2 * FINAL_MS }, async () => {
      const expected = OUTCOMES[name];
      const value = await upload(files.get(name)!);
      const found = await inspected(value.sourceKey);
      const inspection = typeof found === 'string' ? undefined : found;
      if (expected === 'refused') assert.match(String(found), /please record or choose another one\.$/);
      else assert.ok(inspection, `Inspect refuses it: ${found}`);
      const tooLong = (inspection?.durationSec ?? 0) > LONGEST_SEC;
      assert.equal(tooLong, expected === 'too long', `Inspect returns ${inspection?.durationSec} s`);
      // Also processes files that the landing refuses, because a job may arrive without an inspection.
      const answer = await processed({ ...value, inspection });
      const outputs = await outputsOf(value);
      assertNothingCarriedAway(outputs, files.get(name)!);
      assert.equal(visits, 0, 'a program opened the address in a file');
      const hasVideo = [...outputs.keys()].some(key => key.includes('/video.'));
      assert.equal(hasVideo, answer.hasVideo, 'the store has a video exactly if the answer names one');
      if (expected === 'processed')
        assert.deepEqual([answer.type, answer.hasVideo], ['media.processed', true], answer.reason);
      if (expected === 'kept') {
        assert.deepEqual([answer.type, answer.hasVideo], ['media.processed', false], answer.reason);
        assert.match(answer.reason, /^The video stays as it was uploaded/);
      }
      if (expected === 'refused' || expected === 'failed') {
        assert.match(
          answer.reason,
          /; it is kept as it came\.$/,
          `${answer.type} for a file that is not a usable video`,
        );
        assert.deepEqual([...outputs.keys()], [], 'a job that failed stores nothing');
      }
    });
});

test('after all of them: memory stayed bounded, no process or file remains, and the next clip is processed', async () => {
  const value = await upload(good);
  assert.equal((await processed(value)).type, 'media.processed');
  assert.ok(memory.peakBytes() > 0, 'no run was measured');
  assert.ok(memory.peakBytes() <= MEMORY_BYTES, `one run had ${memory.peakBytes()} bytes resident`);
  const left = async () => [
    ...(await readdir(join(scratch, 'recording-request-media'))),
    ...(await childrenOf(process.pid)),
  ];
  // The service removes a job's folder after it has published the result, so wait.
  const nothing = async () => (await left()).length === 0;
  await until('no file or process remains', nothing, { limitMs: 10_000 }).catch(async () =>
    assert.deepEqual(await left(), []),
  );
});
