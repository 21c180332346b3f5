import type { Drill } from '../drill.ts';

const LAG_MS = 3_000;

export const storeSlow: Drill = {
  name: 'store-slow',
  promise: 'An object store that takes seconds for each answer is named, not the landings and media that wait for it',
  expects: { alert: 'ObjectStoreSlow', severity: 'page' },
  async begin({ harness }, mended) {
    harness.proxies('s3').lag(LAG_MS);
    mended.defer(() => harness.proxies('s3').pass());
  },
};
