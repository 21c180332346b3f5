// npm install @recording-request/client minio
// TOKEN=api_… S3_ENDPOINT=https://… S3_BUCKET=… S3_ACCESS_KEY=… S3_SECRET_KEY=… node mirror.ts [--once]
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { NotFoundError, RecordingRequest } from '@recording-request/client';
import { Client } from 'minio';

const { TOKEN, S3_ENDPOINT = '', S3_BUCKET = '', S3_ACCESS_KEY = '', S3_SECRET_KEY = '', S3_REGION } = process.env;
const client = new RecordingRequest({ baseUrl: 'https://record.example', token: TOKEN });
const { hostname, port, protocol } = new URL(S3_ENDPOINT);
const s3 = new Client({
  ...{ endPoint: hostname, port: Number(port) || undefined, useSSL: protocol === 'https:' },
  ...{ accessKey: S3_ACCESS_KEY, secretKey: S3_SECRET_KEY, region: S3_REGION },
});

/** Returns the result; undefined if it does not exist. */
const found = <T>(work: Promise<T>) =>
  work.catch((error: Error & { code?: string }) => {
    if (error instanceof NotFoundError || ['NotFound', 'NoSuchKey'].includes(error.code ?? '')) return undefined;
    throw error;
  });

/** Makes the objects of a clip the same as the clip. An object appears when all of its bytes have been checked. */
async function mirror(projectId: string, submissionId: string): Promise<void> {
  const prefix = `${projectId}/${submissionId}/`;
  const clip = await found(client.submissions.get(projectId, submissionId));
  const video = client.submissions.video(projectId, submissionId);
  const info = clip && (await found(video.info()));
  if (!clip || !info) return remove(prefix);
  const stored = await found(s3.statObject(S3_BUCKET, `${prefix}video`));
  if (stored?.metaData.sha256 !== info.sha256) {
    const opened = await video.open();
    const about = {
      'content-type': clip.mimeType ?? 'application/octet-stream',
      'x-amz-meta-sha256': opened.info.sha256,
    };
    await s3.putObject(S3_BUCKET, `${prefix}video`, Readable.from(opened), opened.info.size, about);
  }
  await s3.putObject(S3_BUCKET, `${prefix}clip.json`, JSON.stringify(clip)); // With its person and its transcript.
}

async function remove(prefix: string): Promise<void> {
  for await (const { name } of s3.listObjectsV2(S3_BUCKET, prefix, true)) await s3.removeObject(S3_BUCKET, name);
}

/** Compares everything: the feed keeps 30 days, and does not name the clips of an erased project. */
async function mirrorAll(): Promise<void> {
  const seen = new Set<string>();
  for await (const { projectId } of client.projects.list())
    for await (const { submissionId } of client.submissions.list(projectId, { omit: 'transcripts' })) {
      await mirror(projectId, submissionId);
      seen.add(`${projectId}/${submissionId}`);
    }
  for await (const { name } of s3.listObjectsV2(S3_BUCKET, '', true)) {
    const [projectId, submissionId] = name.split('/');
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

await mirrorAll();
const untilCaughtUp = process.argv.includes('--once');
for await (const { projectId, submissionId } of client.events({ cursor, untilCaughtUp, onExpired: 'oldest' }))
  if (submissionId) await mirror(projectId, submissionId);
