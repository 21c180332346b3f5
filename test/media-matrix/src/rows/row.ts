import { type ClipSpec, PLAIN } from '../clip/spec.ts';

/** A clip and its name in the table. */
export interface Row {
  name: string;
  clip: ClipSpec;
}

const WORDS: Partial<Record<keyof ClipSpec, (value: unknown) => string>> = {
  turn: value => (value === 'mirrored' ? value : `turned ${value}`),
  pixels: value => `pixels ${value}`,
  cut: value => `cut at ${value} %`,
  frames: value => `${value} pictures`,
  keyEvery: value => `key every ${value}`,
  index: value => `index ${value}`,
  rate: value => `${value} rate`,
};

/** Returns the properties that differ from the plain clip, without container and codecs. */
export function featuresOf(clip: ClipSpec): string {
  return (Object.keys(PLAIN) as Array<keyof ClipSpec>)
    .filter(key => !['container', 'video', 'audio'].includes(key) && clip[key] !== PLAIN[key])
    .filter(key => clip[key] !== 'none')
    .map(key => WORDS[key]?.(clip[key]) ?? String(clip[key]))
    .join(', ');
}

export function rowOf(clip: ClipSpec): Row {
  const codecs = clip.audio === 'none' ? clip.video : `${clip.video}+${clip.audio}`;
  return { clip, name: [`${clip.container} ${codecs}`, featuresOf(clip)].filter(Boolean).join(', ') };
}
