import { type Inspection, inspectionOf } from './inspection.ts';
import type { Scan } from './scan.ts';

const DURATION_TOLERANCE_SEC = 0.5;

/** Returns why a remux may not replace its source, each reason a phrase for the log; empty when it may. */
export function remuxFaults(before: Inspection, remux: Scan): string[] {
  const after = inspectionOf(remux);
  if (!after) return ['it shows no video'];
  const faults: string[] = [];
  const same = (what: string, wanted: unknown, found: unknown) => {
    if (wanted !== found) faults.push(`${what} is ${found}, not ${wanted}`);
  };
  same('the count of video packets', before.videoPackets, after.videoPackets);
  // Including audio of an unknown codec: a remux without it must not replace the upload.
  same('the count of audio packets', before.audioPackets, after.hasAudio ? after.audioPackets : 0);
  same('the video codec', before.videoCodec, after.videoCodec);
  same('the audio codec', before.audioCodec, after.audioCodec);
  // A remux has the size that an H.264 stream has later on, where that changes; of all others its container's, as the upload.
  if (before.videoCodec !== 'h264')
    same('the picture', `${before.width}x${before.height}`, `${after.width}x${after.height}`);
  const near = (what: string, wanted: number, found: number | undefined) => {
    if (found === undefined || !(Math.abs(found - wanted) <= DURATION_TOLERANCE_SEC))
      faults.push(`${what} is ${found} s, not ${wanted} s`);
  };
  near('the duration', before.durationSec, after.durationSec);
  near('the duration that the container states', after.durationSec, remux.headerDurationSec);
  return faults;
}
