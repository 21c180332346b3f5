import type { Cue } from './captions.ts';

/** Returns a WebVTT file (https://www.w3.org/TR/webvtt1/). The texts of the cues have no empty line. */
export function toVtt(cues: Cue[]): string {
  const blocks = cues.map(({ startMs, endMs, text }) => `\n${clock(startMs)} --> ${clock(endMs)}\n${escaped(text)}\n`);
  return `WEBVTT\n${blocks.join('')}`;
}

// An unescaped arrow in a text would be read as a cue's times.
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function clock(ms: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(ms / 60_000);
  const seconds = Math.floor(ms / 1000) % 60;
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds)}.${String(ms % 1000).padStart(3, '0')}`;
}
