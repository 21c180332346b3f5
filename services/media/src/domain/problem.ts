import type { Difference } from './compare.ts';

/** The parts of a clip that could not be made. */
export interface Missing {
  /** True if a seekable copy exists. `copy` lists the copy's differences from the upload. */
  hasVideo: boolean;
  copy: Difference[];
  audio: boolean;
  thumbnails: boolean;
}

/** Returns sentences for the owner; undefined when nothing is missing. */
export function problemOf({ hasVideo, copy, audio, thumbnails }: Missing): string | undefined {
  const lost = [...new Set(copy.map(({ phrase }) => phrase))];
  const sentences = [
    ...(hasVideo ? [] : ['The video stays as it was uploaded: no copy could be made in which players can seek.']),
    ...(lost.length > 0 ? [`The video stays as it was uploaded: a copy would lose ${listed(lost)}.`] : []),
    ...(audio ? ['The sound could not be read.'] : []),
    ...(thumbnails ? ['No thumbnail could be made.'] : []),
  ];
  return sentences.length > 0 ? sentences.join(' ') : undefined;
}

const listed = (names: string[]): string =>
  names.length === 1 ? names[0]! : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
