// Does not use the package range-parser: it treats a suffix longer than the object and a malformed `5-4` as
// unsatisfiable, but RFC 9110 (14.1.2) requires the whole object for both. The package also drops an unsatisfiable
// range from a list of several.

/** The positions of the first and the last byte, both included. */
export interface ByteRange {
  start: number;
  end: number;
}

const SINGLE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;

/**
 * Parses a Range header (RFC 9110, 14.1.2). Returns `whole` for no header, a malformed one, or several ranges (a server
 * may answer those with the whole object). Returns `unsatisfiable` for a range that begins after the end.
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

/** Returns whether an If-None-Match names `etag`: weak comparison (RFC 9110, 13.1.2). */
export function noneMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const opaque = etag.replace(/^W\//, '');
  return header.split(',').some(each => each.trim().replace(/^W\//, '') === opaque);
}

/**
 * Returns whether the Range applies with this If-Range, by strong comparison. A date never matches, because we send no
 * Last-Modified.
 */
export function rangeApplies(header: string | undefined, etag: string): boolean {
  return header === undefined || (header.trim() === etag && !etag.startsWith('W/'));
}
