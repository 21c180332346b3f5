import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { curl, type Transfer } from '../load/curl.ts';
import { expectArchive } from '../load/expect-archive.ts';
import { runCommand } from '../load/run-command.ts';
import { startGoZip } from '../peers/go.ts';
import { clipOf } from '../product/clips.ts';
import { bearer, createProject, landClip } from '../product/product.ts';
import { openStores, type Stores } from '../product/stores.ts';
import { type Bench, controlPair, PRODUCT, type Prepared, type Row, selfComparison } from '../row.ts';
import { timed } from '../sample.ts';
import type { Sample } from '../stats/rounds.ts';

const ZIP = 'zip -0';
const GO = 'Go archive/zip';
const CLIP_BYTES = 5e6;

/**
 * An owner downloads a project as a ZIP file. The Go peer reads the same objects from the same store. The zip peer
 * reads them from files.
 */
export const archive: Row = {
  name: '5',
  title: 'ZIP of 200 5 MB clips',
  needs: ['media', 'curl', 'zip', 'go'],
  minutes: 2,
  goals: [
    { text: 'MB/s, of `zip -0` on local files', metric: 'rate', of: PRODUCT, to: ZIP, atLeast: 1.5 },
    { text: 'MB/s, of Go archive/zip', metric: 'rate', of: PRODUCT, to: GO, atLeast: 0.8 },
  ],
  self: selfComparison('rate'),
  async prepare(bench, stack): Promise<Prepared> {
    const { product, peers, signal, scale, dir } = bench;
    const project = await createProject(product, 'Many clips');
    const { submissionId } = await landClip(
      product,
      project,
      await clipOf(Math.min(CLIP_BYTES, scale.largeBytes)),
      signal,
    );
    const stores = stack.use(await openStores(product));
    const ids = [submissionId, ...(await stores.copyClip(submissionId, scale.clips - 1))];
    const { size } = await stores.videoOf(submissionId);
    const bytes = ids.length * size;
    const files = join(dir, 'clips');
    const list = join(dir, 'clips.list');
    await fetchAll(bench, stores, ids, { files, list });

    const request = {
      url: `${product.baseUrl}/api/projects/${project.projectId}/export/project.zip`,
      headers: bearer(product),
    };
    // The archive contains three more files: project.json, submissions.csv and transcripts.txt.
    await expectArchive(bench, 'project.zip', request, { videos: ids.length, others: 3, size });
    const variants: Record<string, () => Promise<Sample>> = {
      ...controlPair(downloadSample(bench, request, bytes)),
      [ZIP]: () => timed(bench, async () => zipLocally(files, bytes, signal)),
    };
    if (peers.go) {
      const peer = stack.use(await startGoZip(peers.go, peers.place, list));
      await expectArchive(bench, "Go's archive", peer, { videos: ids.length, others: 0, size });
      variants[GO] = downloadSample(bench, peer, bytes);
    }
    return variants;
  },
};

/** Stores every clip as a file, and writes a list of their addresses in the store. */
async function fetchAll(
  { signal }: Bench,
  stores: Stores,
  ids: string[],
  { files, list }: { files: string; list: string },
): Promise<void> {
  await mkdir(files, { recursive: true });
  const lines: string[] = [];
  const requests: Transfer[] = [];
  for (const id of ids) {
    const url = await stores.readUrl((await stores.videoOf(id)).key);
    lines.push(`${id}.mp4\t${url}`);
    requests.push({ url, output: join(files, `${id}.mp4`) });
  }
  await writeFile(list, `${lines.join('\n')}\n`);
  await curl(requests, { signal });
}

function downloadSample(bench: Bench, request: Transfer, bytes: number): () => Promise<Sample> {
  return () =>
    timed(bench, async () => {
      const [answer] = await curl([request], { signal: bench.signal });
      if (answer!.bytesIn < bytes) throw new Error(`an archive of ${bytes} bytes arrived with ${answer!.bytesIn}`);
      return { rate: bytes / 1e6 / answer!.seconds };
    });
}

async function zipLocally(files: string, bytes: number, signal: AbortSignal): Promise<{ rate: number }> {
  const startedAt = performance.now();
  // zip writes to a pipe, because the other variants write to a connection.
  await runCommand('sh', ['-c', 'zip -0 -q -r - . | cat > /dev/null'], signal, files);
  return { rate: bytes / 1e3 / (performance.now() - startedAt) };
}
