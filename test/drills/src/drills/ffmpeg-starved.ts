import type { Drill } from '../drill.ts';
import { runsOf, starve } from '../system/runs.ts';

const SHARE = 0.1;

export const ffmpegStarved: Drill = {
  name: 'ffmpeg-starved',
  promise: 'The alert names media’s ffmpeg, which gets a tenth of a core, not the waiting clips',
  expects: { alert: 'FfmpegStarved', severity: 'page', labels: { job: /^media$/ } },
  names: {
    ...{ runbook: 'FfmpegStarved', query: /\brecording_ffmpeg_run_time_seconds_total\b/ },
    ...{ label: 'job', value: 'media', by: 'lowest' },
  },
  async begin({ harness: { fleet } }, repair) {
    const [media] = fleet.of('media');
    starve(() => runsOf(media!.pid, 'ffmpeg'), SHARE, repair);
  },
};
