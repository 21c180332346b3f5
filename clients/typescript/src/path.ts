import { RecordingRequestError } from './errors.ts';

/** The parameters by the segment before them. */
const PARAMETERS: Record<string, string> = {
  project: 'projectToken',
  projects: 'projectId',
  links: 'tokenId',
  submissions: 'submissionId',
  notes: 'noteId',
  'webhook-deliveries': 'deliveryId',
  responses: 'responseSessionId',
};

/** Encodes the values of a path. */
export const path = (parts: TemplateStringsArray, ...values: string[]): string =>
  String.raw({ raw: parts }, ...values.map(encodeURIComponent));

/**
 * Throws if a segment is empty or would lead to another address: `fetch` removes `..` with the segment before it, and a
 * proxy may decode a slash. Erasing the link `..` would erase its project.
 */
export function checkPath(path: string): void {
  const [, ...segments] = path.replace(/[?#].*$/s, '').split('/');
  for (const [i, segment] of segments.entries())
    if (/^(?:\.|%2e){0,2}$/i.test(segment) || /%2f|%5c|\\/i.test(segment))
      throw new RecordingRequestError(
        `${PARAMETERS[segments[i - 1] ?? ''] ?? 'A part of the path'} must not be empty, "." or "..", or have a slash.`,
      );
}
