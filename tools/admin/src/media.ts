import { DomainError } from '@recording-request/kit/errors';
import type { ClientOf } from '@recording-request/kit-rpc/grpc-client';
import type { RetriedMedia, SubmissionsOperatorServiceServer } from '@recording-request/proto/operator/v1/submissions';
import type { MediaCommand } from './command.ts';
import type { Report } from './run.ts';
import type { Terminal } from './run-erase.ts';
import { table, timeOf } from './table.ts';

export type MediaRetrying = Pick<ClientOf<SubmissionsOperatorServiceServer>, 'retryMedia'>;

// The number of clips to keep; the command counts all of them.
const SHOWN = 1_000;
const PROGRESS_MS = 2_000;
const COLUMNS = ['SUBMISSION ID', 'PROJECT ID', 'LANDED', 'MEDIA ERROR', 'LEFT BECAUSE'] as const;

interface Retried {
  dryRun: boolean;
  lookedAt: number;
  /** The number of clips whose media the service makes again; in a dry run, would make again. */
  asked: number;
  left: number;
  shown: RetriedMedia[];
}

/** Walks the clips of the range. Fails with a DomainError, which reports the progress. */
export async function retryMedia(
  service: MediaRetrying,
  { from, to, status, dryRun }: MediaCommand,
  { show }: Pick<Terminal, 'show'>,
): Promise<Report> {
  const retried: Retried = { dryRun, lookedAt: 0, asked: 0, left: 0, shown: [] };
  const request = { from, to, dryRun, failed: status !== 'with-error', withError: status !== 'failed' };
  let shownAt = performance.now();
  for (let cursor = ''; ; ) {
    const page = await service.retryMedia({ ...request, cursor }).catch(error => {
      if (!(error instanceof DomainError)) throw error;
      throw new DomainError(error.code, `${sentence(retried)}, the rest not: ${error.message}`, { cause: error });
    });
    retried.lookedAt += page.lookedAt;
    for (const clip of page.clips) note(retried, clip);
    cursor = page.nextCursor;
    if (cursor === '') return report(retried);
    if (performance.now() - shownAt < PROGRESS_MS) continue;
    shownAt = performance.now();
    show(sentence(retried));
  }
}

function note(retried: Retried, clip: RetriedMedia): void {
  retried[clip.left === '' ? 'asked' : 'left'] += 1;
  if (retried.shown.length < SHOWN) retried.shown.push(clip);
}

const number = (count: number): string => count.toLocaleString('en');

function sentence({ dryRun, lookedAt, asked, left }: Retried): string {
  const verb = dryRun ? 'would be made again' : 'are made again';
  return `looked at ${number(lookedAt)} clips: the media of ${number(asked)} ${verb}; ${number(left)} skipped`;
}

function report(retried: Retried): Report {
  const { shown, ...counts } = retried;
  const rows = shown.map(clip => [
    ...[clip.submissionId, clip.projectId, timeOf(clip.createdAt), clip.mediaError, clip.left],
  ]);
  const lines = rows.length > 0 ? table(COLUMNS, rows, '') : [];
  const more = counts.asked + counts.left - shown.length;
  if (more > 0) lines.push(`and ${number(more)} more`);
  return { lines: [...lines, sentence(retried)], value: { ...counts, clips: shown } };
}
