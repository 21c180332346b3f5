// npm install @recording-request/client minio
// TOKEN=api_… S3_ENDPOINT=https://… S3_BUCKET=… S3_ACCESS_KEY=… S3_SECRET_KEY=… node mirror.mts [--once]
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ApiError, RecordingRequest } from '@recording-request/client';
import { Client } from 'minio';

const { TOKEN, S3_ENDPOINT = '', S3_BUCKET = '', S3_ACCESS_KEY = '', S3_SECRET_KEY = '', S3_REGION } = process.env;
for (const [name, value] of Object.entries({ TOKEN, S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY, S3_SECRET_KEY }))
  if (!value) end(`Set ${name}.`);
const client = new RecordingRequest({ baseUrl: 'https://record.example', token: TOKEN });
const { hostname, port, protocol } = new URL(S3_ENDPOINT);
const s3 = new Client({
  ...{ endPoint: hostname, port: Number(port) || undefined, useSSL: protocol === 'https:' },
  ...{ accessKey: S3_ACCESS_KEY, secretKey: S3_SECRET_KEY, region: S3_REGION },
});

function end(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}

/** Returns the result; undefined if it does not exist. The 404 of a proxy says nothing about that: it has no code. */
const found = <T,>(work: Promise<T>) =>
  work.catch((error: Error & { code?: string }) => {
    if (error instanceof ApiError && error.is('not_found', 'gone', 'submission_erased')) return undefined;
    if (!(error instanceof ApiError) && ['NotFound', 'NoSuchKey'].includes(error.code ?? '')) return undefined;
    throw error;
  });

/** Makes the objects of a clip the same as the clip. An object appears when all of its bytes have been checked. */
async function mirror(projectId: string, submissionId: string): Promise<void> {
  const [key, record] = ['video', 'clip.json'].map(name => `${projectId}/${submissionId}/${name}`) as [string, string];
  const clip = await found(client.submissions.get(projectId, submissionId));
  const video = client.submissions.video(projectId, submissionId);
  const info = clip && (await found(video.info()));
  if (!clip || !info) {
    for (const name of [key, record]) await s3.removeObject(S3_BUCKET, name);
    return;
  }
  const stored = await found(s3.statObject(S3_BUCKET, key));
  if (stored?.metaData.sha256 !== info.sha256) {
    const opened = await video.open();
    const about = {
      'content-type': clip.mimeType ?? 'application/octet-stream',
      'x-amz-meta-sha256': opened.info.sha256,
    };
    await s3.putObject(S3_BUCKET, key, Readable.from(opened), opened.info.size, about);
  }
  await s3.putObject(S3_BUCKET, record, JSON.stringify(clip)); // With its person and its transcript.
}

// The program touches no other names, except the place in the feed.
const OWN = /^([0-9a-f-]{36})\/([0-9a-f-]{36})\/(?:video|clip\.json)$/;

/** Compares everything: the feed keeps 30 days, and does not name the clips of an erased project. */
async function mirrorAll(): Promise<void> {
  const seen = new Set<string>();
  for await (const { projectId } of client.projects.list())
    for await (const { submissionId } of client.submissions.list(projectId, { omit: 'transcripts' })) {
      await mirror(projectId, submissionId);
      seen.add(`${projectId}/${submissionId}`);
    }
  for await (const { name } of s3.listObjectsV2(S3_BUCKET, '', true)) {
    const [, projectId, submissionId] = OWN.exec(name) ?? [];
    if (projectId && submissionId && !seen.has(`${projectId}/${submissionId}`)) await mirror(projectId, submissionId);
  }
}

// The place in the feed is also in the bucket, so the program needs no disk. Run one program per bucket.
const cursor = {
  async load() {
    const stored = await found(s3.getObject(S3_BUCKET, 'events.cursor'));
    return stored && (await text(stored));
  },
  save: async (value: string) => void (await s3.putObject(S3_BUCKET, 'events.cursor', value)),
};

try {
  if (!(await s3.bucketExists(S3_BUCKET))) end(`There is no bucket ${S3_BUCKET}: create it first.`);
  await mirrorAll();
  const untilCaughtUp = process.argv.includes('--once');
  for await (const { projectId, submissionId } of client.events({ cursor, untilCaughtUp, onExpired: 'oldest' }))
    if (submissionId) await mirror(projectId, submissionId);
} catch (error) {
  end((error as Error).message);
}
