import { hasStopped } from '@recording-request/harness/proc';
import { waitFor } from '@recording-request/stack/wait';
import type { Drill } from '../drill.ts';
import { runsOf, signalTo } from '../system/runs.ts';

const LIMIT_MS = 60_000;

export const oneFfmpegHalted: Drill = {
  name: 'one-ffmpeg-halted',
  promise: 'The alert names the program of one run that no longer makes progress, while other runs succeed',
  expects: { alert: 'ProgramStalled', severity: 'page', labels: { job: /^media$/ } },
  names: {
    ...{ runbook: 'ProgramStalled', query: /\brecording_program_stalled_seconds\b/ },
    ...{ label: 'process_executable_name', value: 'ffmpeg', by: 'highest' },
  },
  async begin({ harness: { fleet } }, repair) {
    const [media] = fleet.of('media');
    const halt = async () => {
      const [pid] = runsOf(media!.pid, 'ffmpeg');
      // A run may end before the signal arrives.
      if (!pid || !signalTo(pid, 'SIGSTOP') || !(await hasStopped(pid))) return undefined;
      repair.defer(() => void signalTo(pid, 'SIGCONT'));
      return true;
    };
    await waitFor('a halted ffmpeg of media', halt, { timeoutMs: LIMIT_MS, intervalMs: 5 });
  },
};
