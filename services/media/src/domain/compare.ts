import { type Inspection, inspectionOf, type Track } from './inspection.ts';
import type { Picture, Scan } from './scan.ts';

const TOLERANCE_SEC = 0.1;
/** Codecs whose packets a container may cut in another way, so that their bytes count. */
const IN_SAMPLES = /^(pcm|adpcm)_/;
/** Facts that a copy may not have when the upload lacks them. A colour that only the copy states is no difference. */
const EITHER_WAY = /^(turn|pixels) /;

/** Differences between an upload and the stored video: `told` is for the owner, after "without"; `detail` for the log. */
export interface Difference {
  told: string;
  detail: string;
}

/** Returns what of the upload a copy does not have in the same way. Empty: the copy may take its place. */
export function differences(before: Inspection, copy: Scan, picture?: Picture): Difference[] {
  const after = inspectionOf(copy, picture);
  if (!after) return [{ told: 'its picture', detail: 'it shows no video' }];
  const found = tracksDiffer(before, after);
  const near = (told: string, wanted: number, is: number | undefined) => {
    if (is === undefined || !(Math.abs(is - wanted) <= TOLERANCE_SEC))
      found.push({ told, detail: `${told} is ${is} s, not ${wanted} s` });
  };
  near('its length', before.durationSec, after.durationSec);
  near('its stated length', after.durationSec, copy.headerDurationSec);
  // A copy has the size that an H.264 stream has later on, where that changes; of all others its container's, as the upload.
  if (before.videoCodec !== 'h264' && (before.width !== after.width || before.height !== after.height))
    found.push({ told: 'its picture size', detail: `the picture is ${after.width}x${after.height}` });
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
      return { told: `a track of ${kind}`, detail: `${found.length} tracks of ${kind}, not ${wanted.length}` };
    return wanted.flatMap((track, at) => trackDiffers(track, found[at]!));
  });
}

function trackDiffers(before: Track, after: Track): Difference[] {
  const found: Difference[] = [];
  const what = before.kind === 'video' ? 'its picture' : 'its sound';
  const same = (name: string, wanted: unknown, is: unknown, told = what) => {
    if (wanted !== is) found.push({ told, detail: `${what} has ${name} ${is}, not ${wanted}` });
  };
  same('the codec', before.codec, after.codec);
  // Nobody knows what else such a track has.
  if (before.codec === '') found.push({ told: what, detail: `${what} is of an unknown codec` });
  const counted = IN_SAMPLES.test(before.codec) ? 'bytes' : 'packets';
  const showsHidden = after[counted] > before[counted];
  // An edit list that leaves out a part in the middle is not copied.
  if (showsHidden || counted === 'bytes' || !lacksOpenEnd(before, after))
    same(`${counted}:`, before[counted], after[counted], showsHidden ? 'the cuts in it' : what);
  same('channels:', before.channels, after.channels);
  same('descriptions:', before.descriptions, after.descriptions, 'a change of its format');
  for (const look of before.looks) if (!after.looks.includes(look)) found.push(looksDifferent(look, 'lacks'));
  for (const look of after.looks)
    if (EITHER_WAY.test(look) && !before.looks.includes(look)) found.push(looksDifferent(look, 'has'));
  for (const end of ['startSec', 'endSec'] as const)
    if (!showsHidden && !(Math.abs(before[end] - after[end]) <= TOLERANCE_SEC))
      found.push({ told: what, detail: `${what} has the ${end} ${after[end]}, not ${before[end]}` });
  return found;
}

/**
 * Whether a copy's sound lacks the last packet alone, and the upload does not say how long that lasts: a copy says that it lasts no
 * time, and a player takes it for one behind the end.
 */
const lacksOpenEnd = (before: Track, after: Track): boolean =>
  before.kind === 'audio' &&
  before.openEnd === true &&
  after.packets === before.packets - 1 &&
  after.endSec < before.endSec;

function looksDifferent(look: string, how: string): Difference {
  const told = look.startsWith('turn ') ? 'its turn' : look.startsWith('pixels ') ? 'its pixel shape' : 'its colours';
  return { told, detail: `it ${how} ${look}` };
}
