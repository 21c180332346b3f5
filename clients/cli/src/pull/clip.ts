import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  ApiError,
  type Download,
  type FileInfo,
  type RecordingRequest,
  type Submission,
} from '@recording-request/client';
import { saveTo } from '@recording-request/client/files';
import { describe, inside, isIntact, move, remove } from './files.ts';
import type { Entry, Journal, Mirrored } from './journal.ts';
import { checkClip, extensionOf, type Group, stemOf } from './layout.ts';

/** The folder of the mirror. */
export interface Mirror {
  client: RecordingRequest;
  projectId: string;
  /** The folder of the clips. */
  folder: string;
  /** The folder for unfinished files, in the same file system and relative to `folder`. */
  parts: string;
  journal: Journal;
  group: Group | undefined;
  /** Also compares the bytes of files that seem unchanged. */
  isDeep: boolean;
  /** Called with the number of received bytes. */
  onBytes(count: number): void;
}

const TRANSCRIPTS = ['txt', 'vtt', 'srt'] as const;

/** Returns whether the service says that the resource is missing or erased. The 404 of a proxy has no code of the API. */
export const isMissing = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.is('not_found', 'gone', 'submission_erased');

/** Makes the local files of one clip equal to the clip on the server. Returns whether something changed. */
export async function mirrorClip(mirror: Mirror, clip: Submission, signal: AbortSignal): Promise<boolean> {
  const { journal, folder } = mirror;
  checkClip(clip);
  const stem = stemOf(clip, mirror.group);
  const entry = journal.entries.get(clip.submissionId);
  if (entry && entry.changedAt === clip.changedAt && !entry.isErased && (await isComplete(mirror, clip, entry, stem)))
    return false;
  const download = mirror.client.submissions.video(mirror.projectId, clip.submissionId, { signal });
  const info = await download.info();
  const path = `${stem}.${extensionOf(info.fileName, clip.mimeType)}`;
  // The record comes before the files, so that an erasure after a kill finds them.
  const pending = [path, ...TRANSCRIPTS.map(format => `${stem}.${format}`)];
  const known = [...Object.values(entry?.files ?? {}).map(file => file.path), ...(entry?.pending ?? [])];
  await journal.put({
    ...{ submissionId: clip.submissionId, changedAt: '', files: entry?.files ?? {} },
    pending: [...new Set([...pending, ...known])],
  });
  const files: Entry['files'] = { video: await video(mirror, clip.submissionId, download, info, path, entry) };
  if (clip.transcriptStatus === 'completed')
    for (const format of TRANSCRIPTS) {
      const file = await transcript(mirror, clip, format, stem, entry?.files[format], signal);
      if (file) files[format] = file;
    }
  const paths = Object.values(files).map(file => file.path);
  for (const old of known) if (!paths.includes(old)) await remove(folder, old);
  await journal.put({ submissionId: clip.submissionId, changedAt: clip.changedAt, files });
  return true;
}

async function isComplete({ folder, isDeep }: Mirror, clip: Submission, { files }: Entry, stem: string) {
  if (!files.video) return false;
  if (isDeep && clip.transcriptStatus === 'completed' && TRANSCRIPTS.some(format => !files[format])) return false;
  for (const file of Object.values(files))
    if (!file.path.startsWith(`${stem}.`) || !(await isIntact(folder, file, isDeep))) return false;
  return true;
}

async function video(
  mirror: Mirror,
  submissionId: string,
  download: Download,
  { sha256, size }: FileInfo,
  path: string,
  entry: Entry | undefined,
): Promise<Mirrored> {
  const { folder, parts } = mirror;
  // A process that was killed may have moved the file without a record of it.
  for (const candidate of new Set([entry?.files.video?.path ?? path, path])) {
    const found = sha256 === undefined ? undefined : await describe(folder, candidate);
    if (!found || found.sha256 !== sha256 || found.size !== size) continue;
    await move(folder, candidate, path);
    return { ...found, path };
  }
  const part = `${parts}/${submissionId}.video`;
  let before = 0;
  const saved = await saveTo(download, await inside(folder, part), {
    onProgress(bytes) {
      // The first report of a continued download includes the bytes of the earlier download.
      mirror.onBytes(Math.max(0, bytes - before));
      before = bytes;
    },
  });
  await move(folder, part, path);
  return (await describe(folder, path, saved.sha256)) ?? vanished(path);
}

/** Returns undefined if the transcript no longer exists. */
async function transcript(
  mirror: Mirror,
  { submissionId }: Submission,
  format: (typeof TRANSCRIPTS)[number],
  stem: string,
  had: Mirrored | undefined,
  signal: AbortSignal,
): Promise<Mirrored | undefined> {
  const { client, projectId, folder, parts } = mirror;
  const path = `${stem}.${format}`;
  const bytes = await client.submissions
    .transcript(projectId, submissionId, format, { signal })
    .bytes()
    .catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
  if (!bytes) return undefined;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (had?.sha256 === sha256 && (await isIntact(folder, had, true))) {
    await move(folder, had.path, path);
    return { ...had, path };
  }
  const part = `${parts}/${submissionId}.${format}`;
  const target = await inside(folder, part);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, bytes, { flush: true });
  await move(folder, part, path);
  mirror.onBytes(bytes.length);
  return (await describe(folder, path, sha256)) ?? vanished(path);
}

function vanished(path: string): never {
  throw new Error(`Another program removed ${path} while it was written.`);
}
