import type { Drill } from '../drill.ts';

export const transcriptionHalted: Drill = {
  name: 'transcription-halted',
  promise: 'The alert names a service whose only process runs but does nothing',
  expects: { alert: 'ServiceAway', severity: 'page', labels: { job: /^transcription$/ } },
  names: {
    ...{ runbook: 'ServiceAway', query: /\bprocess_memory_usage_bytes\b/ },
    ...{ label: 'job', value: 'transcription', by: 'absent' },
  },
  async begin({ harness: { fleet } }, repair) {
    const [only] = fleet.of('transcription');
    repair.defer(() => fleet.resume(only!));
    fleet.halt(only!);
  },
};
