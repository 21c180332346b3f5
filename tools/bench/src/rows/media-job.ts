import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { makeClip } from '@recording-request/fixtures/clip';
import { run } from '@recording-request/fixtures/run';
import { uuidv7 } from '@recording-request/kit/ids';
import { createLogger } from '@recording-request/kit/log';
import { detectSandbox, type Sandbox } from '@recording-request/kit-ffmpeg/sandbox';
import { createObjects } from '@recording-request/kit-objects/objects';
import { findFfmpeg } from '../../../../services/media/src/adapters/ffmpeg.ts';
import { type JobDirectories, openJobDirectories } from '../../../../services/media/src/adapters/job-directory.ts';
import { readConfig } from '../../../../services/media/src/config.ts';
import { mediaKeys } from '../../../../services/media/src/domain/object-keys.ts';
import { inspectFile } from '../../../../services/media/src/workflows/inspect-file.ts';
import { processClip } from '../../../../services/media/src/workflows/process-clip.ts';
import { CLIPS } from '../product/clips.ts';
import { type Bench, expectEqual, type Prepared, type Row } from '../row.ts';
import { msOf, type OneByOne, oneByOne, timed } from '../sample.ts';
import type { Goal, Metrics } from '../stats/goal.ts';
import type { Sample } from '../stats/rounds.ts';

const CONTAINERS = ['webm', 'mp4'] as const;
type Container = (typeof CONTAINERS)[number];

const TEXT = 'This is what I think of it, and I say it slowly so that it takes a while.';
const JOB_MS = 600_000;
/**
 * The number of jobs for each repetition. A job takes less than a second, so a pause of the machine would have a large
 * effect on a single job.
 */
const JOBS = 2;
const LIMITS = {
  memoryBytes: { ffmpeg: 896 * 1024 ** 2, ffprobe: 160 * 1024 ** 2 },
  cpuSeconds: { ffmpeg: 600, ffprobe: 15 },
  fileBytes: 5 * 1024 ** 3,
  openFiles: 64,
  processes: 8_192,
};

const names = (container: Container) => ({
  job: `job, ${container}`,
  again: `job again, ${container}`,
  bare: `bare ffmpeg, ${container}`,
});

function goalOf(container: Container): Goal {
  const { job, bare } = names(container);
  const [kind, atMost] = container === 'webm' ? ['WebM', 1.2] : ['MP4', 1.6];
  return { text: `${kind}: time, of the bare ffmpeg command`, metric: 'ms', of: job, to: bare, atMost };
}

/** A job turns a clip of 30 s into a seekable video, a sound file and three thumbnails, stores them, and verifies the video. */
export const mediaJob: Row = {
  name: '6',
  title: 'media job with store and verification',
  needs: ['media'],
  minutes: 5,
  atOnce: true,
  goals: CONTAINERS.map(goalOf),
  self: CONTAINERS.map(container => ({
    text: `ms of the job beside itself, ${container}`,
    metric: 'ms',
    of: names(container).job,
    to: names(container).again,
  })),
  async prepare(bench, stack): Promise<Prepared> {
    const media = await openMedia(bench, stack);
    const { repeats, clip: picture } = bench.scale;
    const jobs = JOBS * repeats;
    const alone = oneByOne(bench.signal);
    const variants: Record<string, () => Promise<Sample>> = {};
    for (const container of CONTAINERS) {
      const name = names(container);
      // The bare command takes its three thumbnails from key frames.
      const keyFrameSec = Math.min(2, picture.seconds / 3);
      const clip = await media.clip({ container, text: TEXT, keyFrameSec, ...picture });
      await clip.check();
      variants[name.job] = variants[name.again] = () => timed(bench, () => meanOf(alone, clip.job, jobs));
      variants[name.bare] = () => timed(bench, () => meanOf(alone, () => bare(clip.path, container, media.root), jobs));
      await bare(clip.path, container, media.root);
      await expectFiles(media.root, container);
    }
    return variants;
  },
};

async function meanOf(alone: OneByOne, work: () => Promise<unknown>, repeats: number): Promise<Metrics> {
  let sum = 0;
  for (let done = 0; done < repeats; done++) sum += await alone(() => msOf(work));
  return { ms: sum / repeats };
}

/** Opens the media service's own workflows in this process, on the product's store. */
async function openMedia({ dir, product, signal }: Bench, stack: AsyncDisposableStack) {
  const root = await mkdtemp(join(dir, 'media-'));
  const env = {
    ...product.serversEnv,
    ...product.certificates.env('media'),
    S3_BUCKET: product.bucket,
    SUBMISSIONS_GRPC: '127.0.0.1:9',
  };
  const config = readConfig({ ...env, LOG_LEVEL: 'silent' });
  const objects = createObjects(config);
  const sandbox = startingFrom(product.programs, await detectSandbox(LIMITS));
  await findFfmpeg();
  const jobs: JobDirectories = await openJobDirectories(root, JOB_MS);
  stack.defer(() => jobs.close());
  const log = createLogger('media', 'silent');
  const limited = () => AbortSignal.any([signal, AbortSignal.timeout(JOB_MS)]);

  async function clip(options: Omit<Parameters<typeof makeClip>[0], 'dir'> & { container: Container }) {
    const { container } = options;
    const { path } = await makeClip({ dir: CLIPS, ...options });
    const inspection = await inspectFile(path, { signal: limited(), sandbox });
    const [projectId, submissionId] = [uuidv7(), uuidv7()];
    const sourceKey = `submissions/${projectId}/${submissionId}/source`;
    await objects.put(sourceKey, await readFile(path), { contentType: 'application/octet-stream' });
    const request = { projectId, submissionId, sourceKey, inspection };
    const published: string[] = [];
    const kafka = { publish: async ({ type }: { type: string }) => void published.push(type) };
    const job = () => processClip({ config, objects, jobs, sandbox, kafka }, request, { signal: limited(), log });
    return {
      path,
      job,
      async check() {
        await job();
        expectEqual('the job’s event', published.at(-1), 'media.processed');
        const keys = mediaKeys(projectId, submissionId);
        for (const name of ['start', 'middle', 'end'] as const)
          expectEqual(
            `the thumbnail ${name} is stored`,
            (await objects.stat(keys.thumbnail(name))) !== undefined,
            true,
          );
        expectEqual('the sound is stored', (await objects.stat(keys.audio)) !== undefined, true);
        const video = join(root, `stored.${container}`);
        await pipeline(await objects.get(keys.video(container)), createWriteStream(video));
        const found = await inspectFile(video, { signal: limited(), sandbox });
        expectEqual(
          'the frames of the stored video',
          [found?.videoPackets, found?.audioPackets],
          [inspection?.videoPackets, inspection?.audioPackets],
        );
      },
    };
  }
  return { root, clip };
}

/** Returns a sandbox that runs the programs in the folder `programs`, or the programs on PATH without a folder. */
function startingFrom(programs: string | undefined, sandbox: Sandbox): Sandbox {
  if (programs === undefined) return sandbox;
  return {
    ...sandbox,
    commandOf(program, args) {
      const own = sandbox.commandOf(program, args);
      const named = (each: string) => (each === program ? join(programs, program) : each);
      return { command: named(own.command), args: own.args.map(named) };
    },
  };
}

const FFMPEG = ['-nostdin', '-v', 'error', '-y', '-threads', '1'];
const VIDEO = { webm: ['-cues_to_front', '1'], mp4: ['-movflags', '+faststart'] };
// The job encodes the sound of every clip, because a copy keeps gaps and hidden beginnings, and a speech endpoint takes one channel.
const SOUND = ['-c:a', 'aac', '-ac', '1', '-b:a', '64k'];
const THUMBNAIL = ['-vf', 'scale=640:-2', '-vsync', 'vfr'];

/** Runs one ffmpeg call for all files, with thumbnails from key frames. */
const bare = (source: string, container: Container, to: string) =>
  run('ffmpeg', [
    ...[...FFMPEG, '-i', source, '-threads', '1', '-skip_frame', 'nokey', '-i', source],
    ...['-map', '0:V:0', '-map', '0:a:0', '-c', 'copy', ...VIDEO[container], join(to, `video.${container}`)],
    ...['-map', '0:a:0', ...SOUND, join(to, 'audio.m4a')],
    ...['-map', '1:V:0', ...THUMBNAIL, '-frames:v', '3', join(to, 'thumbnail-%d.jpg')],
  ]);

async function expectFiles(root: string, container: Container): Promise<void> {
  const files = [`video.${container}`, 'audio.m4a', 'thumbnail-1.jpg', 'thumbnail-2.jpg', 'thumbnail-3.jpg'];
  for (const file of files) expectEqual(`${file} has bytes`, (await stat(join(root, file))).size > 0, true);
}
