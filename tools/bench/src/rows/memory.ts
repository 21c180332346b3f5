import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '@recording-request/fixtures/run';
import { forgetPeak, peakOf } from '@recording-request/harness/proc';
import type { ServiceName } from '@recording-request/stack/service-plan';
import { curl } from '../load/curl.ts';
import { expectArchive } from '../load/expect-archive.ts';
import { clipOf } from '../product/clips.ts';
import { startOwnProduct } from '../product/own-product.ts';
import {
  bearer,
  createProject,
  createUpload,
  type File,
  landClip,
  type Product,
  readyClips,
  sendUpload,
} from '../product/product.ts';
import { openSeed } from '../product/seed.ts';
import { openStores } from '../product/stores.ts';
import type { Bench, Prepared, Row } from '../row.ts';
import { timed } from '../sample.ts';
import type { Goal } from '../stats/goal.ts';

const SMALL = 'small';
const LARGE = 'large';
const EXPORTED = { few: 20, many: 2_000 };
const CLIP_BYTES = 100_000;
const SMALL_BYTES = 1e6;
const SMALL_UPLOADS = 3;
/** The number of repetitions of the large clip that make a gigabyte. */
const LOOPS = 10;
const WARM_UPS = 3;

const MEASURED: [string, ServiceName[]][] = [
  ['export', ['gateway', 'submissions']],
  ['upload', ['gateway', 'submissions', 'media']],
];

/**
 * The peak memory of the product's processes. Each sample starts new processes, so they hold no memory from earlier
 * samples.
 */
export const memory: Row = {
  name: '9',
  title: 'memory from 20 to 2,000 clips exported, from 1 MB to 1 GB uploaded',
  needs: ['media', 'curl', 'zip'],
  minutes: 8,
  alone: true,
  goals: MEASURED.flatMap(([what, services]) =>
    services.map(
      (name): Goal => ({
        text: `peak of ${name}, large ${what} compared with small`,
        metric: `${what} ${name}`,
        of: LARGE,
        to: SMALL,
        atLeast: 0.8,
        atMost: 1.2,
      }),
    ),
  ),
  self: [],
  async prepare(bench): Promise<Prepared> {
    const { signal, dir } = bench;
    const small = await clipOf(SMALL_BYTES);
    const large = await looped(await clipOf(bench.scale.largeBytes), join(dir, 'large.mp4'));
    const clip = await clipOf(CLIP_BYTES);
    const projects = await withProduct(bench, undefined, async product => ({
      token: product.token,
      few: await filled(bench, product, clip, EXPORTED.few),
      many: await filled(bench, product, clip, EXPORTED.many),
    }));
    const sample = (exported: { path: string; times: number }, uploads: File[]) => () =>
      timed(bench, () =>
        withProduct(bench, projects.token, async product => {
          const download = (path: string, times: number) =>
            curl(
              Array.from({ length: times }, () => ({ url: `${product.baseUrl}${path}`, headers: bearer(product) })),
              { signal },
            );
          // The first downloads need additional memory in a new process, so they are not measured.
          await download(projects.few, WARM_UPS);
          const exporting = await peaksOf(product, 'export', () => download(exported.path, exported.times));
          const uploading = await peaksOf(product, 'upload', () => uploadAll(product, uploads, signal));
          return { ...exporting, ...uploading };
        }),
      );
    return {
      // Both samples export the same number of bytes, because the garbage collector's peak grows with the duration of
      // the measurement.
      [SMALL]: sample({ path: projects.few, times: EXPORTED.many / EXPORTED.few }, Array(SMALL_UPLOADS).fill(small)),
      [LARGE]: sample({ path: projects.many, times: 1 }, [large]),
    };
  },
};

async function peaksOf(product: Product, what: string, work: () => Promise<unknown>): Promise<Record<string, number>> {
  const services = MEASURED.find(([name]) => name === what)![1];
  for (const name of services) forgetPeak(product.services[name].pid);
  await work();
  return Object.fromEntries(services.map(name => [`${what} ${name}`, peakOf(product.services[name].pid)]));
}

async function withProduct<T>(
  bench: Bench,
  token: string | undefined,
  work: (product: Product) => Promise<T>,
): Promise<T> {
  await using product = await startOwnProduct(bench, 'memory', { token });
  return await work(product);
}

/** Creates a project with `clips` clips and checks its archive. Returns the path of the archive. */
async function filled(bench: Bench, product: Product, clip: File, clips: number): Promise<string> {
  const project = await createProject(product, `${clips} clips`);
  const { projectId, sharedLink } = project;
  const { submissionId } = await landClip(product, project, clip, bench.signal);
  await using seed = await openSeed(product);
  await seed.submissions(submissionId, { projectId, linkId: sharedLink!.tokenId }, clips - 1);
  await using stores = await openStores(product);
  const { size } = await stores.videoOf(submissionId);
  const path = `/api/projects/${projectId}/export/project.zip`;
  const request = { url: `${product.baseUrl}${path}`, headers: bearer(product) };
  // The archive contains three more files: project.json, submissions.csv and transcripts.txt.
  await expectArchive(bench, `the archive of ${clips} clips`, request, { videos: clips, others: 3, size });
  return path;
}

async function uploadAll(product: Product, files: readonly File[], signal: AbortSignal): Promise<void> {
  for (const file of files) {
    const project = await createProject(product, 'An upload', { maxDurationSec: 600 });
    await sendUpload(await createUpload(product, project.sharedLink!.recipientUrl, file), file, signal);
    await readyClips(product, project.projectId, 1, signal);
  }
}

/** Repeats the pictures of a clip without encoding them. */
async function looped(file: File, path: string): Promise<File> {
  const options = ['-nostdin', '-v', 'error', '-y', '-stream_loop', String(LOOPS - 1)];
  await run('ffmpeg', [...options, '-i', file.path, '-c', 'copy', '-movflags', '+faststart', path]);
  return { path, mimeType: file.mimeType, bytes: (await stat(path)).size };
}
