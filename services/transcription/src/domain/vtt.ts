/** Words and when they are said, in milliseconds from the start of the clip. */
export interface Cue {
  startMs: number;
  endMs: number;
  text: string;
}

/** A stretch of speech as a provider returns it, in seconds. */
export interface Segment {
  startSec: number;
  endSec: number;
  text: string;
}

/**
 * Returns cues in order of time that do not overlap, end after they start and stay within the clip, whatever times the
 * provider returned. A segment without words gives no cue. `durationSec` 0 means that the length is not known.
 */
export function cuesOf(segments: Segment[], durationSec: number): Cue[] {
  const limit = durationSec > 0 ? Math.round(durationSec * 1000) : Number.MAX_SAFE_INTEGER;
  const spoken = segments
    .map(({ startSec, endSec, text }) => ({
      start: milliseconds(startSec),
      end: milliseconds(endSec),
      text: oneLine(text),
    }))
    .filter(({ text }) => text !== '')
    .sort((a, b) => a.start - b.start);
  let before = 0;
  return spoken.map(({ start, end, text }) => {
    const startMs = Math.max(before, Math.min(start, limit - 1));
    const endMs = Math.max(startMs + 1, Math.min(end, limit));
    before = endMs;
    return { startMs, endMs, text };
  });
}

/** Returns the one cue of a text without times: the whole clip. */
export const wholeClip = (text: string, durationSec: number): Cue[] =>
  cuesOf([{ startSec: 0, endSec: durationSec > 0 ? durationSec : 1, text }], durationSec);

/** Returns a WebVTT file (https://www.w3.org/TR/webvtt1/). */
export function toVtt(cues: Cue[]): string {
  const blocks = cues.map(({ startMs, endMs, text }) => `\n${clock(startMs)} --> ${clock(endMs)}\n${escaped(text)}\n`);
  return `WEBVTT\n${blocks.join('')}`;
}

/** Removes line breaks: an empty line would end a cue. */
export const oneLine = (text: string): string => text.replaceAll('\0', '').replace(/\s+/g, ' ').trim();

const milliseconds = (sec: number) => (Number.isFinite(sec) ? Math.max(0, Math.round(sec * 1000)) : 0);

// An arrow in a text would be read as a cue's times: escaping `>` takes care of it.
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function clock(ms: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(ms / 60_000);
  const seconds = Math.floor(ms / 1000) % 60;
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds)}.${String(ms % 1000).padStart(3, '0')}`;
}
