export interface Cue {
  /** In seconds. */
  start: number;
  end: number;
  text: string;
}

const TIMES = /^((?:\d+:)?\d{2}:\d{2}\.\d{3}) --> ((?:\d+:)?\d{2}:\d{2}\.\d{3})(?: .*)?$/;

/** Parses the cues of a WebVTT file, in order. Throws when the text is not WebVTT. */
export function cuesOf(vtt: string): Cue[] {
  const [header = '', ...blocks] = vtt.replaceAll('\r\n', '\n').split(/\n{2,}/);
  if (!/^WEBVTT(?:[ \t\n]|$)/.test(header)) throw new Error('a WebVTT file begins with WEBVTT');
  return blocks.filter(block => block.trim() !== '' && !/^(?:NOTE|STYLE|REGION)\b/.test(block)).map(cueOf);
}

function cueOf(block: string): Cue {
  const lines = block.trim().split('\n');
  // A cue may have an identifier on the line before its times.
  const at = lines.findIndex(line => TIMES.test(line));
  if (at < 0 || at > 1) throw new Error(`a cue has no times: ${block}`);
  const [, start, end] = TIMES.exec(lines[at]!)!;
  return { start: seconds(start!), end: seconds(end!), text: lines.slice(at + 1).join(' ') };
}

const seconds = (time: string): number => time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
