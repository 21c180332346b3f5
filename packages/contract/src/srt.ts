const TIMES = /^(\d{2,}:)?(\d{2}:\d{2})\.(\d{3}) --> (\d{2,}:)?(\d{2}:\d{2})\.(\d{3})$/;

/** Returns the cues of a stored WebVTT transcript as a SubRip file; empty without cues. */
export function srtOf(vtt: string): string {
  const cues = vtt.split(/\n{2,}/).flatMap(block => {
    const [times = '', ...lines] = block.split('\n');
    const found = TIMES.exec(times);
    if (!found) return [];
    const [, startHours = '00:', start, startMs, endHours = '00:', end, endMs] = found;
    return [`${startHours}${start},${startMs} --> ${endHours}${end},${endMs}\n${plain(lines.join('\n').trim())}\n`];
  });
  return cues.map((cue, at) => `${at + 1}\n${cue}`).join('\n');
}

// SubRip has no escapes, and some players read every line with an arrow (`-->`) as a line of times.
const plain = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&').replaceAll('-->', '→');
