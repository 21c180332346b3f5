import type { StreamHeader } from '../domain/scan.ts';

export const COLOURS = ['color_range', 'color_space', 'color_transfer', 'color_primaries'];
const UNSAID = new Set([undefined, '', 'N/A', 'unknown', 'unspecified', 'reserved']);
const SQUARE = new Set(['1:1', '0:1']);
/** The matrix of an upright picture, as ffprobe prints it: three lines, each after its number. */
const UPRIGHT = '65536 0 0 0 65536 0 0 0 1073741824';

/** Parses a line that ffprobe prints, "name=value|name=value". */
export function fieldsOf(line: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const part of line.split('|')) {
    const at = part.indexOf('=');
    if (at > 0) fields.set(part.slice(0, at), part.slice(at + 1));
  }
  return fields;
}

/** Returns a number; undefined when ffprobe does not know it. */
export function seconds(text: string | undefined): number | undefined {
  const value = Number(text);
  return text !== undefined && text !== '' && Number.isFinite(value) ? value : undefined;
}

export function streamHeaderOf(line: string): StreamHeader {
  const fields = fieldsOf(line);
  const codec = fields.get('codec_name') ?? '';
  const number = (name: string) => Number(fields.get(name) ?? 0) || 0;
  const kind = fields.get('codec_type') ?? '';
  return {
    ...{ stream: number('index'), kind, codec: codec === 'unknown' ? '' : codec },
    ...{ width: number('width'), height: number('height'), channels: number('channels') },
    attachedPicture: fields.get('disposition:attached_pic') === '1',
    looks: kind === 'video' ? looksOf(line, fields) : [],
  };
}

function looksOf(line: string, fields: Map<string, string>): string[] {
  const looks = coloursOf(fields);
  const shape = fields.get('sample_aspect_ratio');
  if (!UNSAID.has(shape) && !SQUARE.has(shape!)) looks.push(`pixels ${shape}`);
  const turn = turnOf(fields.get('displaymatrix') ?? '');
  if (turn !== '' && turn !== UPRIGHT) looks.push(`turn ${turn}`);
  // Other side data, for example the mastering display of an HDR picture.
  for (const [, type] of line.matchAll(/side_data_type=([^|]+)/g)) if (!isMeasured(type!)) looks.push(`with ${type}`);
  return looks;
}

/** Returns the colours that a stream or a picture states. When no range is stated, the range is the TV range. */
export const coloursOf = (fields: Map<string, string>): string[] =>
  COLOURS.filter(name => !UNSAID.has(fields.get(name)))
    .map(name => `${name} ${fields.get(name)}`)
    .filter(look => look !== 'color_range tv');

const turnOf = (matrix: string) =>
  matrix
    .replaceAll(/\\n(\d{8}:)?/g, ' ')
    .trim()
    .split(/\s+/)
    .join(' ');

/**
 * Returns whether side data needs no further comparison: the rotation is compared by its numbers, and bit rates are
 * only a buffering hint for players.
 */
const isMeasured = (type: string) => type === 'Display Matrix' || type.startsWith('CPB properties');
