import { Readable } from 'node:stream';
import { isMissing, type Objects } from '@recording-request/kit/objects';
import { type ZipEntry, zipChunks } from '../adapters/zip.ts';
import { extensionOf } from '../domain/media-types.ts';
import { currentVideo, type Submission } from '../domain/submission.ts';
import { csvText, documentText, type ExportSource, transcriptsText } from './export-project.ts';

/**
 * Streams project.zip while it is made. The same content gives the same bytes: the order and all dates come from the
 * content.
 */
export const zipOf = (source: ExportSource, objects: Objects, signal: AbortSignal): AsyncIterable<Buffer> =>
  zipChunks(entriesOf(source, objects), signal);

async function* entriesOf(source: ExportSource, objects: Objects): AsyncIterable<ZipEntry> {
  const date = source.changedAt;
  const text = (pieces: AsyncIterable<string>) => Readable.from(pieces, { objectMode: false });
  yield { name: 'project.json', date, stream: text(documentText(source, date)) };
  yield { name: 'submissions.csv', date, stream: text(csvText(source)) };
  yield { name: 'transcripts.txt', date, stream: text(transcriptsText(source)) };
  let number = 0;
  for await (const submission of source.submissions()) {
    number += 1;
    const { mimeType, stream } = await openVideo(submission, source, objects);
    const name = `videos/${String(number).padStart(4, '0')}-${submission.id}.${extensionOf(mimeType)}`;
    yield { name, date: submission.createdAt, stream };
  }
}

// The original upload is removed once the remux is recorded: where the row was read before that, it is read again.
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
