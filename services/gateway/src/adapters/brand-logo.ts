import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { Variable } from '@recording-request/kit/config';

export interface Logo {
  bytes: Buffer;
  /** A media type such as `image/png`. */
  type: string;
  /** A file name with a hash of the content, so that clients can cache it for long. */
  name: string;
}

const LARGEST_BYTES = 262_144;

const FORMATS: { type: string; extension: string; is(bytes: Buffer): boolean }[] = [
  { type: 'image/png', extension: 'png', is: bytes => bytes.subarray(0, 8).toString('latin1') === '\x89PNG\r\n\x1a\n' },
  { type: 'image/jpeg', extension: 'jpg', is: bytes => bytes.subarray(0, 3).toString('hex') === 'ffd8ff' },
  {
    type: 'image/webp',
    extension: 'webp',
    is: bytes => /^RIFF[\s\S]{4}WEBP$/.test(bytes.subarray(0, 12).toString('latin1')),
  },
  {
    type: 'image/svg+xml',
    extension: 'svg',
    is: bytes =>
      /^\uFEFF?\s*(?:<\?xml[^>]*>\s*|<!--[\s\S]*?-->\s*|<!DOCTYPE[^>]*>\s*)*<svg[\s>]/.test(bytes.toString()),
  },
];

/**
 * Returns a variable that names an image file. The process reads the file once, at the start, and fails if browsers
 * cannot show it.
 */
export function logoFile(name: string, description: string): Variable<Logo | undefined> {
  return {
    name,
    description,
    expected: `the path of an SVG, PNG, JPEG or WebP image of at most ${LARGEST_BYTES / 1024} KiB`,
    required: false,
    parse: path => (path === undefined ? undefined : readLogo(path)),
  };
}

function readLogo(path: string): Logo {
  const bytes = contentOf(path);
  const format = FORMATS.find(({ is }) => is(bytes));
  if (!format) throw new Error('must be an SVG, PNG, JPEG or WebP image');
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 12);
  return { bytes, type: format.type, name: `brand-logo-${hash}.${format.extension}` };
}

function contentOf(path: string): Buffer {
  let size = 0;
  try {
    size = statSync(path).size;
    if (size <= LARGEST_BYTES) return readFileSync(path);
  } catch {
    throw new Error('must name a file that can be read');
  }
  throw new Error(`must be a file of at most ${LARGEST_BYTES / 1024} KiB, not ${Math.ceil(size / 1024)} KiB`);
}
