import { LIMITS } from '@recording-request/contract/limits';
import { DomainError } from '@recording-request/kit/errors';

/** The logo of a project, as its owner sent it. */
export interface Logo {
  image: Buffer;
  /** The media type that the bytes show. */
  mediaType: string;
}

interface Size {
  width: number;
  height: number;
}

interface Format {
  mediaType: string;
  is(bytes: Buffer): boolean;
  /** Returns the size in pixels; undefined if the file does not show it. May throw a RangeError at the end of the file. */
  sizeOf(bytes: Buffer): Size | undefined;
}

const latin1 = (bytes: Buffer, from: number, to: number): string => bytes.toString('latin1', from, to);

const FORMATS: readonly Format[] = [
  {
    mediaType: 'image/png',
    is: bytes => latin1(bytes, 0, 8) === '\x89PNG\r\n\x1a\n' && latin1(bytes, 12, 16) === 'IHDR',
    sizeOf: bytes => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }),
  },
  { mediaType: 'image/jpeg', is: bytes => bytes.toString('hex', 0, 3) === 'ffd8ff', sizeOf: sizeOfJpeg },
  {
    mediaType: 'image/webp',
    is: bytes => latin1(bytes, 0, 4) === 'RIFF' && latin1(bytes, 8, 12) === 'WEBP',
    sizeOf: sizeOfWebp,
  },
];

/**
 * Returns a logo for storage. Its bytes decide on the media type. Fails with `invalid` unless they are a PNG, JPEG or
 * WebP image within LIMITS: a small file with a huge picture would use up a phone's memory.
 */
export function checkedLogo(image: Buffer): Logo {
  if (image.length > LIMITS.logoBytes)
    throw invalid(`must have at most ${LIMITS.logoBytes / 1024} KiB: compress the image or make it smaller`);
  const format = FORMATS.find(({ is }) => is(image));
  const size = format && sizeOf(format, image);
  if (!format || !size) throw invalid('must be a PNG, JPEG or WebP image');
  const { width, height } = size;
  if (Math.min(width, height) < 1 || Math.max(width, height) > LIMITS.logoPixels)
    throw invalid(`must have 1 to ${LIMITS.logoPixels} pixels on each side, not ${width} × ${height}`);
  return { image, mediaType: format.mediaType };
}

function sizeOf(format: Format, image: Buffer): Size | undefined {
  try {
    return format.sizeOf(image);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The first frame header has the size. The segments before it begin with a marker and their length. */
function sizeOfJpeg(bytes: Buffer): Size | undefined {
  for (let at = 2; bytes.readUInt8(at) === 0xff; ) {
    const marker = bytes.readUInt8(at + 1);
    // Any number of fill bytes may come before a marker.
    if (marker === 0xff) at += 1;
    else if (isFrame(marker)) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** C4, C8 and CC in the range of frame headers are tables. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** The first chunk has the size: of the canvas, of a lossless picture, or of a lossy one. */
function sizeOfWebp(bytes: Buffer): Size | undefined {
  switch (latin1(bytes, 12, 16)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

const invalid = (rule: string) => new DomainError('invalid', `The logo ${rule}.`);
export const noLogo = () => new DomainError('not_found', 'The project has no logo.');
