// What a media job costs beside the bare ffmpeg command that it is built around, in alternation, with the object store:
//   npm test -- starts the servers; against servers that run: node services/media/test/bench.ts [rounds]
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newEvent } from '@recording-request/events/event';
import { run } from '@recording-request/fixtures/run';
import { uuidv7 } from '@recording-request/kit/ids';
import { createLogger } from '@recording-request/kit/log';
import { createObjects } from '@recording-request/kit/objects';
import { testClip } from '@recording-request/testing/clip';
import { testEnvironment } from '@recording-request/testing/environment';
import { findFfmpeg } from '../src/adapters/ffmpeg.ts';
import { openJobDirectories } from '../src/adapters/job-directory.ts';
import { readConfig } from '../src/config.ts';
import { inspectFile } from '../src/workflows/inspect-file.ts';
import { processClip } from '../src/workflows/process-clip.ts';
import { runOptions, sandbox } from './sandbox.ts';

const SECONDS = 30;
const rounds = Number(process.argv[2] ?? 5);
const root = await mkdtemp(join(tmpdir(), 'media-bench-'));
const log = createLogger('media', 'silent');
const config = readConfig(testEnvironment({ SUBMISSIONS_GRPC: '127.0.0.1:9' }).env);
const objects = createObjects(config);
await objects.ensureBucket();
await findFfmpeg(sandbox);
const jobs = await openJobDirectories(root, 600_000);

/** CPU seconds of the children that have ended. */
function childrenCpuSec(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

async function cost(work: () => Promise<unknown>): Promise<{ ms: number; cpuMs: number }> {
  const [at, children, own] = [performance.now(), childrenCpuSec(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(own);
  return { ms: performance.now() - at, cpuMs: (childrenCpuSec() - children) * 1_000 + (user + system) / 1_000 };
}

function bare(source: string, container: 'webm' | 'mp4') {
  const index = container === 'mp4' ? ['-movflags', '+faststart'] : ['-cues_to_front', '1'];
  const sound = container === 'mp4' ? ['-c:a', 'copy'] : ['-c:a', 'aac', '-ac', '1', '-b:a', '64k'];
  return run('ffmpeg', [
    ...['-nostdin', '-v', 'error', '-y', '-threads', '1', '-i', source],
    ...['-threads', '1', '-skip_frame', 'nokey', '-i', source],
    ...['-map', '0:V:0', '-map', '0:a:0', '-c', 'copy', ...index, join(root, `video.${container}`)],
    ...['-map', '0:a:0', ...sound, join(root, 'audio.m4a')],
    ...['-map', '1:V:0', '-vf', 'scale=640:-2', '-vsync', 'vfr', '-frames:v', '3', join(root, 'thumbnail-%d.jpg')],
  ]);
}

const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]!;
try {
  for (const container of ['webm', 'mp4'] as const) {
    const text = 'This is what I think of it, and I say it slowly so that it takes a while.';
    const { path } = await testClip({ container, text, seconds: SECONDS, width: 1280, height: 720 });
    const inspection = await inspectFile(path, runOptions());
    const [projectId, submissionId] = [uuidv7(), uuidv7()];
    const sourceKey = `submissions/${projectId}/${submissionId}/source`;
    await objects.put(sourceKey, await readFile(path), { contentType: 'application/octet-stream' });
    const request = { projectId, submissionId, sourceKey, inspection };
    const event = newEvent('submission.media.requested', { $case: 'mediaRequested', value: request });
    const deps = { config, objects, jobs, sandbox, kafka: { publish: async () => {} } };
    const found: Array<[ms: number, cpuMs: number, wall: number, cpu: number]> = [];
    for (let round = 0; round < rounds; round += 1) {
      const plain = await cost(() => bare(path, container));
      const job = await cost(() => processClip(deps, event.id, request, { signal: AbortSignal.timeout(600_000), log }));
      found.push([job.ms, job.cpuMs, job.ms / plain.ms, job.cpuMs / plain.cpuMs]);
    }
    const [ms, cpuMs, wall, cpu] = [0, 1, 2, 3].map(at => median(found.map(one => one[at]!)));
    process.stdout.write(
      `${container}, ${SECONDS} s: job ${ms!.toFixed(0)} ms, ${cpuMs!.toFixed(0)} ms of CPU; beside the bare command ${wall!.toFixed(2)}× as long, ${cpu!.toFixed(2)}× the CPU\n`,
    );
  }
} finally {
  await jobs.close();
  await rm(root, { recursive: true, force: true });
}
