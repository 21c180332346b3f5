import { type Container, storedContainer } from './container.ts';
import type { Inspection } from './inspection.ts';
import { thumbnailFilter } from './thumbnail-filter.ts';

export const THUMBNAILS = ['start', 'middle', 'end'] as const;
export type ThumbnailName = (typeof THUMBNAILS)[number];

/**
 * The source of a thumbnail: a key frame, or any frame. A key frame is cheap; for another frame, ffmpeg must decode all
 * frames from the key frame before it.
 */
export interface Moment {
  name: ThumbnailName;
  from: 'keyFrame' | 'seek';
  atSec: number;
}

/** The media to make from a clip. */
export interface Plan {
  container: Container;
  /** Apple's players accept HEVC in MP4 and MOV only if it has this tag. */
  videoTag: 'hvc1' | undefined;
  hasAudio: boolean;
  /** The end of the sound, in seconds. */
  audioSec: number;
  moments: Moment[];
  /** Filters for the thumbnails. */
  thumbnailFilter: string;
  /** The first time in an MP4. An MP4 describes its own streams, so ffmpeg finds a picture without probing. */
  startSec: number | undefined;
  /** True when the sound needs its own reader. */
  readApart: boolean;
}

const NEAR_SEC = 2;
/** Longer than any allowed clip. The limit is necessary, because a few bytes may declare years of silence. */
const AUDIO_MAX_SEC = 1_800;

export function planFor(inspection: Inspection): Plan {
  const { container, videoCodec, hasAudio, durationSec, startSec = -1, readApart = false, tracks } = inspection;
  const stored = storedContainer(container, tracks);
  return {
    container: stored,
    videoTag: stored !== 'webm' && videoCodec === 'hevc' ? 'hvc1' : undefined,
    hasAudio,
    audioSec: Math.min(durationSec + 1, AUDIO_MAX_SEC),
    moments: thumbnailMoments(inspection),
    thumbnailFilter: thumbnailFilter(inspection),
    startSec: container === 'mp4' && startSec >= 0 ? startSec : undefined,
    readApart: hasAudio && readApart,
  };
}

/**
 * Returns the moments of the thumbnails: the first frame, the middle and the last frame. Uses the nearest key frame,
 * unless it is more than two seconds away or another thumbnail already shows it.
 */
export function thumbnailMoments({ keyFrames, durationSec, lastFrameSec }: Inspection): Moment[] {
  const wanted = { start: 0, middle: Math.min(durationSec / 2, lastFrameSec), end: lastFrameSec };
  const taken = new Set<number>();
  return THUMBNAILS.map(name => {
    const target = wanted[name];
    const nearest = nearestTo(keyFrames, target);
    if (nearest === undefined || Math.abs(nearest - target) > NEAR_SEC || taken.has(nearest))
      return { name, from: 'seek', atSec: target };
    taken.add(nearest);
    return { name, from: 'keyFrame', atSec: nearest };
  });
}

function nearestTo(sorted: number[], target: number): number | undefined {
  let best: number | undefined;
  for (const one of sorted) if (best === undefined || Math.abs(one - target) < Math.abs(best - target)) best = one;
  return best;
}
