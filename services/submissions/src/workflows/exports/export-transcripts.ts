import { LIMITS } from '@recording-request/contract/limits';
import { srtOf } from '@recording-request/contract/srt';
import { DomainError } from '@recording-request/kit/errors';
import type { ZipEntry } from '../../adapters/zip-archive.ts';
import { clipFileName } from '../../domain/exports/archive.ts';
import { filterOf } from '../../messages.ts';
import type { ExportContext, ExportSelection, TextSource } from './export-project.ts';

const TOO_MANY = `One archive holds the transcripts of ${LIMITS.transcriptsZipClips.toLocaleString('en')} clips at most, and this project has more: ask for those of the selected clips (selected=true), or for transcripts.txt.`;

/** Fails with `conflict` when the clips of the filter have more transcripts than a transcripts.zip may contain. */
export async function checkTranscripts(
  selection: ExportSelection,
  { submissions }: Pick<ExportContext, 'submissions'>,
) {
  const { ownerId, projectId } = selection;
  const { selected, transcriptStatus } = filterOf(selection.filter);
  const counts = (await submissions.count(ownerId, [projectId])).get(projectId)!;
  const chosen = selected === undefined ? counts.total : selected ? counts.selected : counts.total - counts.selected;
  const completed = (transcriptStatus ?? 'completed') === 'completed' ? (counts.byTranscript.completed ?? 0) : 0;
  if (Math.min(chosen, completed) > LIMITS.transcriptsZipClips) throw new DomainError('conflict', TOO_MANY);
}

/**
 * Yields the files of transcripts.zip: three for each clip with a completed transcript, with the numbers that
 * project.zip uses under the same filter. When there is no transcript, yields a README.txt, because some programs
 * cannot open an empty archive.
 */
export async function* transcriptFiles(source: TextSource): AsyncIterable<ZipEntry> {
  let number = 0;
  let isEmpty = true;
  for await (const { id, createdAt: date, transcriptStatus, transcriptText, transcriptVtt } of source.submissions()) {
    number += 1;
    if (transcriptStatus !== 'completed') continue;
    isEmpty = false;
    const vtt = transcriptVtt ?? '';
    yield { name: clipFileName(number, id, 'txt'), date, content: transcriptText ?? '' };
    yield { name: clipFileName(number, id, 'vtt'), date, content: vtt };
    yield { name: clipFileName(number, id, 'srt'), date, content: srtOf(vtt) };
  }
  if (isEmpty) yield { name: 'README.txt', date: source.createdAt, content: 'No clip has a finished transcript.\n' };
}
