import { DomainError } from '@recording-request/kit/errors';
import { isMissing, type Objects } from '@recording-request/kit/objects';
import { type ZipEntry, zipChunks } from '../adapters/zip.ts';
import { extensionOf } from '../domain/media-types.ts';
import { currentVideo, type StoredObject, type Submission } from '../domain/submission.ts';
import { erasedMeanwhile } from './export-plan.ts';
import { csvText, documentText, type ExportSource, transcriptsText } from './export-project.ts';
import { readObject, UnreadableObjectError } from './read-object.ts';

type VideoObjects = Pick<Objects, 'get' | 'stat'>;

/**
 * Streams project.zip while it is made. The same content gives the same bytes: the order and all dates come from the
 * content. It fails where a clip was erased meanwhile, or cannot be read: the next one goes without that clip.
 */
export const zipOf = (source: ExportSource, objects: VideoObjects, signal: AbortSignal): AsyncIterable<Buffer> =>
  zipChunks(entriesOf(source, objects, signal), signal);

async function* entriesOf(source: ExportSource, objects: VideoObjects, signal: AbortSignal): AsyncIterable<ZipEntry> {
  const date = source.changedAt;
  yield { name: 'project.json', date, bytes: documentText(source, date) };
  yield { name: 'submissions.csv', date, bytes: csvText(source) };
  yield { name: 'transcripts.txt', date, bytes: transcriptsText(source) };
  if (source.missing.length > 0) yield { name: 'missing.txt', date, bytes: missingText(source.missing) };
  let number = 0;
  for await (const submission of source.submissions('video')) {
    number += 1;
    const { mimeType, bytes } = await openVideo(submission, source, objects, signal);
    const name = `videos/${String(number).padStart(4, '0')}-${submission.id}.${extensionOf(mimeType)}`;
    yield { name, date: submission.createdAt, bytes };
  }
  // Before the directory that makes the file whole.
  await source.confirm();
}

async function* missingText(ids: string[]): AsyncGenerator<string> {
  yield 'These submissions are not in this archive, because the store does not return their videos:\n\n';
  for (const id of ids) yield `${id}\n`;
}

/** Reads the first bytes. Where the upload has given way to its remux since the row was read, takes that. */
async function openVideo(
  submission: Submission,
  source: ExportSource,
  objects: VideoObjects,
  signal: AbortSignal,
): Promise<{ mimeType: string; bytes: AsyncIterable<Buffer> }> {
  const open = async (video: StoredObject) => {
    const bytes = videoBytes(submission.id, video, { source, objects, signal });
    const first = await bytes.next();
    return { mimeType: video.mimeType, bytes: withFirst(first, bytes) };
  };
  const video = currentVideo(submission);
  try {
    if (video) return await open(video);
  } catch (error) {
    if (!(error instanceof ReplacedVideoError)) throw error;
    return await open(error.video);
  }
  throw new Error(`submission ${submission.id} has no video`);
}

/** The upload that was to be read is removed, because its remux is there. */
class ReplacedVideoError extends DomainError {
  readonly video: StoredObject;

  constructor(video: StoredObject) {
    super('unavailable', 'A video was replaced while it was exported; ask for the export again.', { retryAfterSec: 1 });
    this.video = video;
  }
}

async function* videoBytes(
  submissionId: string,
  video: StoredObject,
  { source, objects, signal }: { source: ExportSource; objects: VideoObjects; signal: AbortSignal },
): AsyncGenerator<Buffer> {
  try {
    yield* readObject(objects, video, { signal });
  } catch (error) {
    if (!(error instanceof UnreadableObjectError)) throw error;
    const now = await source.findVideo(submissionId);
    if (!now) throw erasedMeanwhile();
    const current = currentVideo(now);
    if (current && current.key !== video.key && isMissing(error.cause)) throw new ReplacedVideoError(current);
    // A store that returns nothing at all says nothing about this video: then this fails as an outage.
    await objects.stat(`${video.key}.none`);
    await source.noteUnreadable(submissionId, { key: video.key, offset: error.offset });
    const sentence = 'A video cannot be read; ask for the export again, which then goes without it.';
    throw new DomainError('unavailable', sentence, { cause: error, retryAfterSec: 1 });
  }
}

async function* withFirst(first: IteratorResult<Buffer>, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (!first.done) yield first.value;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
