import type { Drill } from '../drill.ts';

export const speechAway: Drill = {
  name: 'speech-away',
  promise: 'The alert names the speech endpoint that refuses connections, not the waiting transcripts',
  expects: { alert: 'SpeechFailing', severity: 'page' },
  async begin({ harness, speech }, repair) {
    await harness.proxies('speech').down();
    repair.defer(() => speech.back());
  },
};
