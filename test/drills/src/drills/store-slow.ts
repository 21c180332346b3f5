import type { Drill } from '../drill.ts';

const LAG_MS = 3_000;

export const storeSlow: Drill = {
  name: 'store-slow',
  promise: 'The alert names the object store that takes seconds per request, not the waiting landings and media',
  expects: { alert: 'ObjectStoreSlow', severity: 'page' },
  async begin({ harness }, repair) {
    harness.proxies('s3').lag(LAG_MS);
    repair.defer(() => harness.proxies('s3').pass());
  },
};
