import { type Inspection, inspectionOf, type Track } from './inspection.ts';
import type { Picture, Scan } from './scan.ts';

const TOLERANCE_SEC = 0.1;
/** Containers may split packets of these codecs differently, so the comparison uses the number of bytes instead. */
const IN_SAMPLES = /^(pcm|adpcm)_/;
/**
 * Facts that the copy must not add either. For other facts, such as colours, an addition in the copy is not a
 * difference.
 */
const EITHER_WAY = /^(turn|pixels) /;

/** A difference between an upload and the stored video: `phrase` is for the owner, after "without"; `detail` is for the log. */
export interface Difference {
  phrase: string;
  detail: string;
}

/** Returns the facts of the upload that the copy does not have. If there are none, the copy may replace the upload. */
export function differences(before: Inspection, copy: Scan, picture?: Picture): Difference[] {
  const after = inspectionOf(copy, picture);
  if (!after) return [{ phrase: 'its picture', detail: 'it shows no video' }];
  const found = tracksDiffer(before, after);
  const near = (phrase: string, wanted: number, is: number | undefined) => {
    if (is === undefined || !(Math.abs(is - wanted) <= TOLERANCE_SEC))
      found.push({ phrase, detail: `${phrase} is ${is} s, not ${wanted} s` });
  };
  near('its length', before.durationSec, after.durationSec);
  near('its stated length', after.durationSec, copy.headerDurationSec);
  // If the size of an H.264 stream changes, the copy may have the later size. For other codecs, upload and copy both
  // have the container's size.
  if (before.videoCodec !== 'h264' && (before.width !== after.width || before.height !== after.height))
    found.push({ phrase: 'its picture size', detail: `the picture is ${after.width}x${after.height}` });
  return found;
}

function tracksDiffer({ tracks: before }: Inspection, { tracks: after }: Inspection): Difference[] {
  const kinds = ['video', 'audio'] as const;
  return kinds.flatMap(kind => {
    const [wanted, found] = [before, after].map(tracks => tracks.filter(track => track.kind === kind)) as [
      Track[],
      Track[],
    ];
    if (wanted.length !== found.length)
      return { phrase: `a track of ${kind}`, detail: `${found.length} tracks of ${kind}, not ${wanted.length}` };
    return wanted.flatMap((track, at) => trackDiffers(track, found[at]!));
  });
}

function trackDiffers(before: Track, after: Track): Difference[] {
  const found: Difference[] = [];
  const what = before.kind === 'video' ? 'its picture' : 'its sound';
  const same = (name: string, wanted: unknown, is: unknown, phrase = what) => {
    if (wanted !== is) found.push({ phrase, detail: `${what} has ${name} ${is}, not ${wanted}` });
  };
  same('the codec', before.codec, after.codec);
  // An unknown codec may have facts that this comparison does not know and that the copy lacks.
  if (before.codec === '') found.push({ phrase: what, detail: `${what} is of an unknown codec` });
  const counted = IN_SAMPLES.test(before.codec) ? 'bytes' : 'packets';
  const showsHidden = after[counted] > before[counted];
  // If an edit list cuts out a middle part, the copy does not have this cut.
  if (showsHidden || counted === 'bytes' || !lacksOpenEnd(before, after))
    same(`${counted}:`, before[counted], after[counted], showsHidden ? 'the cuts in it' : what);
  // ffmpeg sets the times of all packets after a restart to the last time before the restart, and a player shows only
  // one of these packets.
  if (before.restarts) found.push({ phrase: 'the parts whose times restart', detail: `the times of ${what} restart` });
  same('channels:', before.channels, after.channels);
  same('descriptions:', before.descriptions, after.descriptions, 'a change of its format');
  for (const look of before.looks) if (!after.looks.includes(look)) found.push(looksDifferent(look, 'lacks'));
  for (const look of after.looks)
    if (EITHER_WAY.test(look) && !before.looks.includes(look)) found.push(looksDifferent(look, 'has'));
  for (const end of ['startSec', 'endSec'] as const)
    if (!showsHidden && !(Math.abs(before[end] - after[end]) <= TOLERANCE_SEC))
      found.push({ phrase: what, detail: `${what} has the ${end} ${after[end]}, not ${before[end]}` });
  return found;
}

/**
 * Returns whether the copy's sound lacks only the last packet, whose duration the upload does not state. The copy gives
 * this packet no duration, and a player treats it as past the end.
 */
const lacksOpenEnd = (before: Track, after: Track): boolean =>
  before.kind === 'audio' &&
  before.openEnd === true &&
  after.packets === before.packets - 1 &&
  after.endSec < before.endSec;

function looksDifferent(look: string, how: string): Difference {
  const phrase = look.startsWith('turn ') ? 'its turn' : look.startsWith('pixels ') ? 'its pixel shape' : 'its colours';
  return { phrase, detail: `it ${how} ${look}` };
}
