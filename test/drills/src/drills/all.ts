import type { Drill } from '../drill.ts';
import { clockSkewed } from './clock-skewed.ts';
import { consumerStuck } from './consumer-stuck.ts';
import { diskFull } from './disk-full.ts';
import { endpointFailing } from './endpoint-failing.ts';
import { endpointHangs } from './endpoint-hangs.ts';
import { ffmpegKilled } from './ffmpeg-killed.ts';
import { ffmpegStarved } from './ffmpeg-starved.ts';
import { kafkaDown } from './kafka-down.ts';
import { oneFfmpegHalted } from './one-ffmpeg-halted.ts';
import { podSlow } from './pod-slow.ts';
import { primaryGone } from './primary-gone.ts';
import { socketsLeak } from './sockets-leak.ts';
import { speechAway } from './speech-away.ts';
import { storeSlow, storeSlower } from './store-slow.ts';
import { transcriptionHalted } from './transcription-halted.ts';

/** The drills. The seed determines the order in which they run. */
export const DRILLS: Drill[] = [
  ...[storeSlow, storeSlower, kafkaDown, consumerStuck, diskFull, speechAway],
  ...[endpointFailing, endpointHangs, primaryGone, podSlow, clockSkewed, socketsLeak],
  ...[transcriptionHalted, ffmpegStarved, ffmpegKilled, oneFfmpegHalted],
];
