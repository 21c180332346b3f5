import { after, before } from 'node:test';
import type { Kafka } from '@recording-request/events/kafka';
import type { Submission } from '@recording-request/proto/submissions/v1/submissions';
import { until } from '@recording-request/testing/wait';
import { Client } from 'minio';
import { createDeadLetterStore, type DeadLetterStore } from '../src/store/dead-letters.ts';
import { createErasureStore, type ErasureStore } from '../src/store/erasures.ts';
import { openModels } from '../src/store/models.ts';
import { create, speech, startTestSubmissions, type TestSubmissions } from './test-service.ts';

export const DAY_MS = 86_400_000;

// Each test file starts one service with its stores, in a bucket that keeps versions, and erases clips in it.
export let harness: TestSubmissions;
export let client: Client;
export let kafka: Kafka;
export let store: ErasureStore;
export let failed: DeadLetterStore;
export let database: TestSubmissions['connection'];
before(async () => {
  harness = await startTestSubmissions({
    ERASE_AGAIN_SECONDS: '2',
    UPLOAD_ENDED_SECONDS: '2',
    RETENTION_DAYS: '1',
    UNKNOWN_RETRY_SECONDS: '1',
  });
  const { config } = harness;
  const endpoint = new URL(config.s3Endpoint);
  client = new Client({
    endPoint: endpoint.hostname,
    port: Number(endpoint.port),
    useSSL: false,
    accessKey: config.s3AccessKey!(),
    secretKey: config.s3SecretKey!(),
    pathStyle: true,
  });
  await client.setBucketVersioning(config.s3Bucket, { Status: 'Enabled' });
  kafka = await harness.stores.kafka();
  database = harness.connection;
  const models = openModels(database);
  store = createErasureStore(models);
  failed = createDeadLetterStore(models);
});
after(async () => {
  await harness?.[Symbol.asyncDispose]();
});

/** Returns the names of all versions under a prefix, even of versions that a listing of objects does not show. */
export async function versionsIn(prefix: string): Promise<string[]> {
  const found: string[] = [];
  for await (const item of client.listObjects(harness.config.s3Bucket, prefix, true, { IncludeVersion: true }))
    found.push(item.name as string);
  return found;
}

/** Returns the names of the collections that contain a text. */
export async function collectionsWith(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const { collectionName } of await database.db!.collections()) {
    for await (const document of database.db!.collection(collectionName).find())
      if (JSON.stringify(document).includes(text)) found.push(collectionName);
  }
  return found;
}

export const list = async (projectId: string): Promise<Submission[]> => {
  const page = { ownerId: harness.ownerId, projectId, filter: undefined, pageSize: 10, cursor: '' };
  return (await harness.submissions.listSubmissions(page)).submissions;
};
export const eraseSubmission = (submissionId: string, dryRun = false) =>
  harness.operator.eraseSubmission({ submissionId, dryRun });
export const prefixOf = (projectId: string, submissionId: string) => `submissions/${projectId}/${submissionId}/`;

/** Lands a clip with the note `note`, and waits for its media. */
export async function landed(project: Awaited<ReturnType<TestSubmissions['project']>>, link: number, note: string) {
  const { projectId } = project;
  const linkId = project.links[link]!.linkId;
  const begun = await harness.begin(projectId, linkId);
  const { responseSessionId } = begun;
  await harness.submissions.setResponseNote({ projectId, linkId, responseSessionId, questionIndex: undefined, note });
  const body = (await speech()).bytes;
  const { response } = await create(harness, begun, { length: body.length, body });
  const { submissionId } = (await response.json()) as { submissionId: string };
  await until('the media of the clip is made', async () =>
    (await list(projectId)).some(each => each.submissionId === submissionId && each.hasAudio),
  );
  const upload = await harness.uploads.findOne({ submissionId });
  return { projectId, linkId, submissionId, uploadId: upload!._id, responseSessionId };
}
