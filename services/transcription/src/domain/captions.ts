import { LINE_UNITS, oneLine, type Piece, piecesOf, twoLines, widthWith, wrapped } from './caption-text.ts';

/** A caption with its times, in milliseconds from the start of the clip. */
export interface Cue {
  startMs: number;
  endMs: number;
  /** At most two lines; more lines when the text has no times. */
  text: string;
}

/** A segment of speech as a provider returns it, in seconds. */
export interface Segment {
  startSec: number;
  endSec: number;
  text: string;
}

interface Timed extends Piece {
  startMs: number;
  endMs: number;
  endsSegment: boolean;
}

const LEAST_MS = 1_000;
const LONGEST_MS = 7_000;

/**
 * Returns captions of at most two lines, 1 to 7 seconds long, in order, without overlap and within the clip, for any
 * times from the provider. A segment within these limits becomes one cue. A longer segment is split at phrases, with
 * times in proportion to its characters. A shorter segment is shown longer if there is room, or is joined to its
 * neighbour. A cue is shorter than a second only when the speech does not fit otherwise. A segment without words
 * produces no cue. `durationSec` 0 means that the clip's length is unknown.
 */
export function cuesOf(segments: Segment[], durationSec: number): Cue[] {
  const limit = limitOf(durationSec);
  const pieces = timedPieces(segments, limit);
  const cues = inTime(group(pieces, limit), limit);
  return cues ?? wholeClip(segments.map(({ text }) => text).join(' '), durationSec);
}

/** Returns one cue over the whole clip, for a text without times. */
export function wholeClip(text: string, durationSec: number): Cue[] {
  const words = oneLine(text);
  if (words === '') return [];
  return [{ startMs: 0, endMs: durationSec > 0 ? limitOf(durationSec) : LEAST_MS, text: wrapped(words) }];
}

const limitOf = (durationSec: number) =>
  durationSec > 0 ? Math.max(1, Math.floor(durationSec * 1000)) : Number.MAX_SAFE_INTEGER;

const milliseconds = (sec: number, otherwise: number) =>
  Number.isFinite(sec) ? Math.max(0, Math.round(sec * 1000)) : otherwise;

/**
 * Returns the pieces of all segments in order of time. When two segments overlap, the earlier one ends where the later
 * one begins.
 */
function timedPieces(segments: Segment[], limit: number): Timed[] {
  let before = 0;
  const spoken = segments
    .map(({ startSec, endSec, text }) => {
      // A segment without times starts at the end of the previous one.
      const start = Math.min(milliseconds(startSec, before), limit);
      const end = Math.min(milliseconds(endSec, start), limit);
      before = Math.max(start, end);
      return { start, end, text: oneLine(text) };
    })
    .filter(({ text }) => text !== '')
    .sort((a, b) => a.start - b.start);
  return spoken.flatMap(({ start, end, text }, at) => {
    const duration = Math.max(0, Math.min(end, spoken[at + 1]?.start ?? limit) - start);
    const pieces = piecesOf(text);
    const ends: number[] = [];
    for (const piece of pieces) ends.push(widthWith(ends.at(-1) ?? 0, piece));
    const timeAt = (width: number) => start + Math.round((duration * width) / ends.at(-1)!);
    return pieces.map((piece, index) => ({
      ...piece,
      startMs: timeAt(ends[index]! - piece.width),
      // Ends a cue at the next piece, so that the screen does not flicker between cues of one segment.
      endMs: index < pieces.length - 1 ? timeAt(ends[index + 1]! - pieces[index + 1]!.width) : start + duration,
      endsSegment: index === pieces.length - 1,
    }));
  });
}

// The costs of a choice. One more cue costs 1; a break after any word costs 2. A cue shorter than a second costs most,
// and segments are joined only to avoid such a cue.
const JOINED_COST = 4;
const GAP_COST_PER_SEC = 3;
const SHORT_COST = 20;
const SHORT_COST_PER_SEC = 10;
// The cost of a break after a segment without punctuation: it ends in a pause, which is nearly as good a break as a
// sentence's end.
const PAUSE_COST = 0.4;

/** Divides the pieces into cues so that the sum of costs is lowest, as TeX breaks a paragraph into lines. */
function group(pieces: Timed[], limit: number): Timed[][] {
  const best: { cost: number; next: number }[] = [];
  best[pieces.length] = { cost: 0, next: pieces.length };
  for (let from = pieces.length - 1; from >= 0; from -= 1) {
    let least = { cost: Number.POSITIVE_INFINITY, next: from + 1 };
    for (const { next, cost } of cuesFrom(pieces, from, limit)) {
      const sum = cost + best[next]!.cost;
      if (sum < least.cost) least = { cost: sum, next };
    }
    best[from] = least;
  }
  const cues: Timed[][] = [];
  for (let from = 0; from < pieces.length; from = best[from]!.next) cues.push(pieces.slice(from, best[from]!.next));
  return cues;
}

/** Yields the possible cues that begin with a piece: those that fit into two lines and 7 seconds. */
function* cuesFrom(pieces: Timed[], from: number, limit: number): Generator<{ next: number; cost: number }> {
  const { startMs } = pieces[from]!;
  let line = 0;
  let lines = 1;
  let width = 0;
  let inside = 0;
  for (let at = from; at < pieces.length; at += 1) {
    const piece = pieces[at]!;
    width = widthWith(width, piece);
    line = widthWith(line, piece);
    if (line > LINE_UNITS) {
      lines += 1;
      line = piece.width;
    }
    if (lines > 2 || (at > from && piece.endMs - startMs > LONGEST_MS)) return;
    const next = pieces[at + 1];
    const before = from > 0 && !next ? startMs - pieces[from - 1]!.endMs : 0;
    const roomSec = Math.min(LEAST_MS, (next?.startMs ?? limit) - startMs + before) / 1000;
    const short = roomSec < LEAST_MS / 1000 ? SHORT_COST + SHORT_COST_PER_SEC * (1 - roomSec) : 0;
    const end = piece.endsSegment ? Math.min(piece.breakCost, PAUSE_COST) : piece.breakCost;
    // Cues of similar length are easier to read than a full cue followed by a single word.
    yield { next: at + 1, cost: 1 + (1 - width / LINE_UNITS / 2) ** 2 + short + end + inside };
    if (piece.endsSegment && next)
      inside += JOINED_COST + (GAP_COST_PER_SEC * Math.max(0, next.startMs - piece.endMs)) / 1000;
  }
}

/** Returns undefined when the clip has no room for this many cues. */
function inTime(groups: Timed[][], limit: number): Cue[] | undefined {
  const cues = groups.map((group, at) => {
    const { startMs } = group[0]!;
    const wanted = Math.min(startMs + LONGEST_MS, Math.max(group.at(-1)!.endMs, startMs + LEAST_MS));
    return { startMs, endMs: Math.min(wanted, groups[at + 1]?.[0]?.startMs ?? limit), text: twoLines(group) };
  });
  let bound = limit;
  for (let at = cues.length - 1; at >= 0; at -= 1) {
    const cue = cues[at]!;
    cue.endMs = Math.min(cue.endMs, bound);
    // If there is no room after a cue, the cue begins earlier, but leaves the previous cue at least a second.
    const earliest = at > 0 ? cues[at - 1]!.startMs + LEAST_MS : 0;
    cue.startMs = Math.min(cue.startMs, Math.max(cue.endMs - LEAST_MS, earliest), cue.endMs - 1);
    bound = cue.startMs;
  }
  return bound < 0 ? undefined : cues;
}
