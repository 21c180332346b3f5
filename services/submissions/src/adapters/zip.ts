import { once } from 'node:events';
import { Readable } from 'node:stream';
import { isMissing, type Objects } from '@recording-request/kit/objects';
import { ZipArchive } from 'archiver';
import { currentVideo, type Submission } from '../domain/submission.ts';
import { extensionOf } from '../domain/upload.ts';
import { csvText, documentText, type ExportSource, transcriptsText } from '../workflows/export-project.ts';

/**
 * project.zip as it is made: stored, not deflated (video does not shrink), each object opened when its turn comes. The
 * same content gives the same bytes: the order and all dates come from the content.
 */
export async function* zipChunks(source: ExportSource, objects: Objects, signal: AbortSignal): AsyncIterable<Buffer> {
  const archive = new ZipArchive({ store: true });
  const stop = () => archive.destroy(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  // What fails in filling ends the reading below.
  const filling = fill(archive, source, objects).catch(error => archive.destroy(error as Error));
  try {
    for await (const chunk of archive as unknown as Readable) yield chunk as Buffer;
    await filling;
  } finally {
    signal.removeEventListener('abort', stop);
    archive.destroy();
  }
}

async function fill(archive: ZipArchive, source: ExportSource, objects: Objects): Promise<void> {
  const date = source.changedAt;
  const text = (pieces: AsyncIterable<string>) => Readable.from(pieces, { objectMode: false });
  await append(archive, text(documentText(source, date)), 'project.json', date);
  await append(archive, text(csvText(source)), 'submissions.csv', date);
  await append(archive, text(transcriptsText(source)), 'transcripts.txt', date);
  let number = 0;
  for await (const submission of source.submissions()) {
    number += 1;
    const { mimeType, stream } = await openVideo(submission, source, objects);
    const name = `videos/${String(number).padStart(4, '0')}-${submission.id}.${extensionOf(mimeType)}`;
    await append(archive, stream, name, submission.createdAt);
  }
  await archive.finalize();
}

// The upload as it came goes once the remux is recorded: where the row was read before that, it is read once more.
async function openVideo(
  submission: Submission,
  source: ExportSource,
  objects: Objects,
): Promise<{ mimeType: string; stream: Readable }> {
  const open = async (now: Submission) => {
    const video = currentVideo(now);
    if (!video) throw new Error(`submission ${now.id} has no video`);
    return { mimeType: video.mimeType, stream: await objects.get(video.key) };
  };
  try {
    return await open(submission);
  } catch (error) {
    const now = isMissing(error) ? await source.find(submission.id) : undefined;
    if (!now) throw error;
    return await open(now);
  }
}

async function append(archive: ZipArchive, stream: Readable, name: string, date: Date): Promise<void> {
  // An archive that is given up lets go of no stream by itself, and an object half read keeps its connection.
  const letGo = () => stream.destroy();
  if (archive.destroyed) {
    letGo();
    throw new Error('the ZIP was given up');
  }
  archive.once('close', letGo);
  stream.once('error', error => archive.destroy(error));
  const written = once(archive as never, 'entry');
  archive.append(stream, { name, date });
  await written;
  archive.off('close', letGo);
}
