/** One caption. Times are in seconds. */
export interface Cue {
  fromSec: number;
  toSec: number;
  text: string;
}

const TIMES = /^(?:(\d{2,}):)?(\d{2}):(\d{2}\.\d{3}) --> (?:(\d{2,}):)?(\d{2}):(\d{2}\.\d{3})/;

/** Returns the cues of a WebVTT transcript, in order; none for a text that is not WebVTT. */
export function cuesOf(vtt: string): Cue[] {
  return vtt.split(/\n{2,}/).flatMap(block => {
    const [times = '', ...lines] = block.split('\n');
    const [, fromHours, fromMinutes, from, toHours, toMinutes, to] = TIMES.exec(times) ?? [];
    if (from === undefined) return [];
    const text = lines.join(' ').trim().replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
    return [{ fromSec: seconds(fromHours, fromMinutes, from), toSec: seconds(toHours, toMinutes, to), text }];
  });
}

/** Rounded, because a sum of binary fractions would not equal the number that a caller sends back. */
const seconds = (hours = '0', minutes = '0', rest = '0'): number =>
  Math.round((Number(hours) * 3_600 + Number(minutes) * 60 + Number(rest)) * 1_000) / 1_000;

const MOMENTS = 3;
const WORDS_MAX = 8;

const folded = (text: string): string => text.normalize('NFKC').toLowerCase();

/**
 * Returns the cues that have most of the searched words, at most three, in their order. A cue is read together with the
 * next one, because a sentence may continue there.
 */
export function momentsOf(cues: readonly Cue[], search: string): Cue[] {
  const words = folded(search).split(/\s+/).filter(Boolean).slice(0, WORDS_MAX);
  const found = cues.flatMap((cue, index) => {
    const own = folded(cue.text);
    if (!words.some(word => own.includes(word))) return [];
    const next = cues[index + 1];
    const both = `${own} ${folded(next?.text ?? '')}`;
    const hits = words.filter(word => both.includes(word)).length;
    return [
      {
        hits,
        index,
        moment: {
          fromSec: cue.fromSec,
          toSec: next?.toSec ?? cue.toSec,
          text: `${cue.text} ${next?.text ?? ''}`.trim(),
        },
      },
    ];
  });
  return found
    .sort((a, b) => b.hits - a.hits || a.index - b.index)
    .slice(0, MOMENTS)
    .sort((a, b) => a.index - b.index)
    .map(({ moment }) => moment);
}
