import type { Drill } from '../drill.ts';
import { processed } from '../system/recovery.ts';
import { onRuns, runsOf, signalTo } from '../system/runs.ts';

const LIMIT_MS = 120_000;

export const ffmpegKilled: Drill = {
  name: 'ffmpeg-killed',
  promise: 'The alert names the program that another process kills; each clip gets its media after the fault',
  expects: { alert: 'ProgramsKilled', severity: 'page', labels: { job: /^media$/ } },
  names: {
    ...{ runbook: 'ProgramsKilled', query: /recording_outcome="killed"/ },
    ...{ label: 'process_executable_name', value: 'ffmpeg', by: 'highest' },
  },
  async begin({ harness: { fleet } }, repair) {
    const services = [fleet.of('media')[0]!, fleet.of('transcription')[0]!];
    const runs = () => services.flatMap(({ pid }) => runsOf(pid, 'ffmpeg'));
    const kill = (pids: number[]) => {
      for (const pid of pids) signalTo(pid, 'SIGKILL');
    };
    onRuns(runs, kill, repair);
  },
  recovers: ({ harness, load }, { began, signal }) =>
    processed(
      harness,
      load.clips.filter(({ at }) => at >= began),
      { limitMs: LIMIT_MS, signal },
    ),
};
