// Ours, as the package range-parser takes a suffix longer than the object and a malformed `5-4` for unsatisfiable, where
// RFC 9110 (14.1.2) means the whole, and drops an unsatisfiable range out of several.

/** First and last byte, both included. */
export interface ByteRange {
  start: number;
  end: number;
}

const SINGLE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;

/**
 * The one range of a Range header (RFC 9110, 14.1.2). `whole` where there is none, where it asks for several (a server
 * may answer those with the whole) or where it is malformed; `unsatisfiable` where it begins behind the end.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const match = header === undefined ? null : SINGLE.exec(header);
  if (!match) return 'whole';
  const [, first = '', last = ''] = match;
  if (first === '') {
    if (last === '') return 'whole';
    const length = Number(last);
    if (length === 0 || size === 0) return 'unsatisfiable';
    return { start: Math.max(0, size - length), end: size - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'whole';
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

/** Whether an If-None-Match names `etag`: weak comparison (RFC 9110, 13.1.2). */
export function noneMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const opaque = etag.replace(/^W\//, '');
  return header.split(',').some(each => each.trim().replace(/^W\//, '') === opaque);
}

/** Whether an If-Range lets the Range count: strong comparison; a date never matches, as no Last-Modified is sent. */
export function rangeApplies(header: string | undefined, etag: string): boolean {
  return header === undefined || (header.trim() === etag && !etag.startsWith('W/'));
}
