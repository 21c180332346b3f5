/** Builds a project's exports in parts, so that no process holds a whole export in memory. */

import type { ExportDocumentJson } from './resources/export-document.ts';
import { CONTRACT_VERSION } from './resources/fields.ts';
import type { ProjectDetailJson, ProjectLinksJson } from './resources/project.ts';
import type { SubmissionJson } from './resources/submission.ts';

export { csvCell, csvHeader, csvRow } from './csv.ts';

export interface ExportHead {
  /**
   * The time of the export. Inside a ZIP, this is the time of the content's last change, so that the same content gives
   * the same bytes.
   */
  exportedAt: Date;
  project: ProjectDetailJson;
}

/** The pages of a project's links: at least one. The first page contains the shared link. */
export type LinkPages = AsyncIterable<ProjectLinksJson> | readonly ProjectLinksJson[];

/** Returns export.json up to its links. */
export function exportDocumentHead({ exportedAt, project }: ExportHead): string {
  const start: Pick<ExportDocumentJson, 'version' | 'exportedAt' | 'project'> = {
    version: CONTRACT_VERSION,
    exportedAt: exportedAt.toISOString(),
    project,
  };
  return `${JSON.stringify(start).slice(0, -1)},"links":`;
}

/** Yields the links of export.json, page by page, or null when the caller may not read links. */
export async function* exportDocumentLinks(pages: LinkPages | null): AsyncIterable<string> {
  if (!pages) return yield 'null';
  let isFirst = true;
  let comma = '';
  for await (const { sharedLink, recipientUrls } of pages) {
    if (isFirst) yield `{"sharedLink":${JSON.stringify(sharedLink)},"recipientUrls":[`;
    isFirst = false;
    if (recipientUrls.length === 0) continue;
    yield comma + JSON.stringify(recipientUrls).slice(1, -1);
    comma = ',';
  }
  yield ']}';
}

/**
 * Returns export.json from the end of its links to its first submission. `terms` maps the hex SHA-256 of each accepted
 * text to that text.
 */
export function exportDocumentTerms(terms: Record<string, string>): string {
  return `,"terms":${JSON.stringify(terms)},"submissions":[`;
}

/** Returns one submission, with a comma before every submission except the first. */
export function exportDocumentEntry(submission: SubmissionJson, first: boolean): string {
  return `${first ? '' : ','}\n${JSON.stringify(submission)}`;
}

/** Returns the end of export.json. */
export function exportDocumentTail(): string {
  return '\n]}\n';
}

const WITHOUT_TRANSCRIPT: Record<string, string> = {
  pending: '(The transcript is not made yet.)',
  processing: '(The transcript is being made.)',
  disabled: '(Transcription was off.)',
  none: '(The clip has no sound.)',
};

/** Returns the part of transcripts.txt before its first entry. */
export function transcriptsHead(projectName: string): string {
  return `Transcripts of ${oneLine(projectName)}\n`;
}

/** Returns one submission of transcripts.txt: its details, then its words or the reason for their absence. */
export function transcriptsEntry(submission: SubmissionJson): string {
  const lines = ['', '='.repeat(72), `Submission: ${submission.submissionId}`, `Recorded:   ${submission.createdAt}`];
  const person = personOf(submission);
  if (person) lines.push(`Person:     ${oneLine(person)}`);
  if (submission.durationSec !== null) lines.push(`Length:     ${submission.durationSec} s`);
  if (submission.questionText !== null) {
    lines.push(`Question ${(submission.questionIndex ?? 0) + 1}: ${oneLine(submission.questionText)}`);
  }
  if (submission.note) lines.push(`Note:       ${oneLine(submission.note)}`);
  if (submission.reviewNote) lines.push(`Review:     ${oneLine(submission.reviewNote)}`);
  lines.push('', transcriptOf(submission), '');
  return lines.join('\n');
}

/** Returns the person's name and reference; "" if both are missing. */
function personOf({ recipient }: SubmissionJson): string {
  const { name, reference } = recipient ?? {};
  return name && reference ? `${name} (${reference})` : (name ?? reference ?? '');
}

function transcriptOf(submission: SubmissionJson): string {
  const { transcriptStatus, transcriptText } = submission;
  if (transcriptStatus === 'completed') return transcriptText || '(No speech was heard.)';
  if (transcriptStatus === 'failed')
    return `(The transcript failed: ${submission.transcriptError ?? 'no reason given'})`;
  return WITHOUT_TRANSCRIPT[transcriptStatus ?? 'none'] ?? '';
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
