import { createReadStream } from 'node:fs';
import { mkdtemp, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { makeClip } from '@recording-request/fixtures/clip';
import { run } from '@recording-request/fixtures/run';
import { startWebhookSink } from '@recording-request/stack/webhook-sink';
import { schedule } from '../load/open-loop.ts';
import { CLIPS } from '../product/clips.ts';
import { startOwnProduct } from '../product/own-product.ts';
import { createProject, createUpload, type File, PATCH, type Product } from '../product/product.ts';
import { openStores } from '../product/stores.ts';
import { SENT_AFTER_MS, startTraces } from '../product/traces.ts';
import { expectEqual, PRODUCT, type Prepared, type Row } from '../row.ts';
import { msOf, timed } from '../sample.ts';

const CLIPS_SENT = 50;
/**
 * The minimum interval between two clips, in addition to the interval of the span export, so that the system is idle
 * when a clip arrives.
 */
const LEAST_EVERY_MS = 2_500;
/** The interval on a slow machine, as a multiple of the first clip's duration. */
const ROOM = 1.3;
const LANDED = 'submission.completed';
const TEXT = 'This is what I think of it, and I say it slowly so that it takes a while.';
/** Ten megabytes in 5.2 seconds, with sound. */
const CLIP = { width: 1920, height: 1080, frameRate: 25, keyFrameSec: 1 / 25, seconds: 5.2 };

const p50 = (text: string, metric: string, atMost: number) => ({
  text: `${text}, p50 in ms`,
  metric,
  of: PRODUCT,
  atMost,
});
/** A 10 MB clip arrives every few seconds. The time counts from the intended start. A round is one clip. */
export const landing: Row = {
  name: '8',
  title: '10 MB clip on an idle system',
  needs: ['media'],
  minutes: 6,
  rounds: CLIPS_SENT,
  alone: true,
  goals: [
    p50('last byte sent → landed answer', 'answer', 250),
    p50('stored → webhook received', 'webhook', 40),
    p50('stored → thumbnails, beyond the bare ffmpeg command', 'thumbnails', 100),
    p50('processed → transcript, beyond the speech server', 'transcript', 100),
  ],
  self: [],
  async prepare(bench, stack): Promise<Prepared> {
    const { signal, dir } = bench;
    const traces = stack.use(await startTraces());
    // Does not profile, because profiling would make each step of a service 50 % longer.
    const product = stack.use(await startOwnProduct({ ...bench, profile: undefined }, 'landing', traces));
    const { path, mimeType } = await makeClip({ dir: CLIPS, container: 'mp4', text: TEXT, ...CLIP });
    const file: File = { path, mimeType, bytes: (await stat(path)).size };
    const received = new Map<string, number>();
    const sink = stack.use(
      await startWebhookSink({
        answer({ body }) {
          const { type, data } = JSON.parse(body.toString('utf8'));
          if (type === LANDED) received.set(data.submission.submissionId, Date.now());
          return 204;
        },
      }),
    );
    const project = await createProject(product, 'Clips on an idle system', {
      transcriptionEnabled: true,
      webhookUrl: sink.url,
    });
    const root = await mkdtemp(join(dir, 'landing-'));
    const clip = async (nextTime: ReturnType<typeof schedule>) => {
      const intendedAt = await nextTime(signal);
      const late = performance.now() - intendedAt;
      const url = await createUpload(product, project.sharedLink!.recipientUrl, file);
      const { submissionId, answerMs } = await send(url, file, signal);
      const moments = await traces.momentsOf(url, signal);
      const bareMs = await bare(path, root);
      const at = received.get(submissionId);
      expectEqual('the webhook of a clip arrived before its transcript', at !== undefined, true);
      return {
        answer: answerMs + late,
        webhook: at! - moments.stored,
        thumbnails: moments.processed - moments.stored - bareMs,
        transcript: moments.transcribed - moments.processed - moments.speechMs,
        submissionId,
      };
    };
    const startedAt = performance.now();
    const first = await clip(schedule(0));
    const everyMs = Math.max(SENT_AFTER_MS + LEAST_EVERY_MS, ROOM * (performance.now() - startedAt));
    await expectThumbnails(product, first.submissionId);
    const nextTime = schedule(everyMs, performance.now() + everyMs);
    return {
      [PRODUCT]: () =>
        timed(bench, async () => {
          const { submissionId: _, ...metrics } = await clip(nextTime);
          return metrics;
        }),
    };
  },
};

/** Fails unless the clip has three thumbnails, each a JPEG. */
async function expectThumbnails(product: Product, submissionId: string): Promise<void> {
  await using stores = await openStores(product);
  const { key } = await stores.videoOf(submissionId);
  const stored = await stores.keys(key.slice(0, key.lastIndexOf('/') + 1));
  const pictures = stored.filter(name => /\/thumbnail-(start|middle|end)\.jpg$/.test(name));
  expectEqual('the thumbnails of a clip', pictures.length, 3);
  for (const name of pictures) {
    const answer = await fetch(await stores.readUrl(name));
    const bytes = Buffer.from(await answer.arrayBuffer());
    expectEqual(`the first bytes of ${name}`, bytes.subarray(0, 3).toString('hex'), 'ffd8ff');
  }
}

/**
 * Sends the file in one request. Measures from the moment when the system has accepted the last byte to the end of the HTTP
 * response.
 */
async function send(url: string, file: File, signal: AbortSignal): Promise<{ submissionId: string; answerMs: number }> {
  const headers = { ...PATCH, 'content-length': String(file.bytes) };
  const sending = request(url, { method: 'PATCH', headers, signal });
  const answered = new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    sending.once('response', resolve);
    sending.once('error', reject);
  });
  let sentAt = 0;
  sending.once('finish', () => {
    sentAt = performance.now();
  });
  createReadStream(file.path).pipe(sending);
  const answer = await answered;
  const body = await text(answer);
  const answerMs = performance.now() - sentAt;
  expectEqual('the answer to the last byte', answer.statusCode, 200);
  return { submissionId: JSON.parse(body).submissionId, answerMs };
}

/** Returns the duration of the bare ffmpeg command of a media job, in milliseconds. */
const bare = (source: string, to: string): Promise<number> =>
  msOf(() =>
    run('ffmpeg', [
      ...['-nostdin', '-v', 'error', '-y', '-threads', '1', '-i', source],
      ...['-threads', '1', '-skip_frame', 'nokey', '-i', source],
      ...['-map', '0:V:0', '-map', '0:a:0', '-c', 'copy', '-movflags', '+faststart', join(to, 'video.mp4')],
      ...['-map', '0:a:0', '-c:a', 'copy', join(to, 'audio.m4a')],
      ...['-map', '1:V:0', '-vf', 'scale=640:-2', '-vsync', 'vfr', '-frames:v', '3', join(to, 'thumbnail-%d.jpg')],
    ]),
  );
