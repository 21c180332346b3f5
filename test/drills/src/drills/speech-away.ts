import type { Drill } from '../drill.ts';

export const speechAway: Drill = {
  name: 'speech-away',
  promise: 'A speech endpoint that refuses connections is named, not the transcripts that wait for it',
  expects: { alert: 'SpeechFailing', severity: 'page' },
  async begin({ harness, speech }, mended) {
    await harness.proxies('speech').down();
    mended.defer(() => speech.back());
  },
};
