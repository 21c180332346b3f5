import type { Drill } from '../drill.ts';
import { STEP_QUERY } from '../step-query.ts';

const storeLate = (ms: number): Pick<Drill, 'expects' | 'names' | 'begin'> => ({
  expects: { alert: 'ObjectStoreSlow', severity: 'page' },
  names: { ...STEP_QUERY, label: 'server', value: 'store', by: 'highest' },
  async begin({ harness }, repair) {
    harness.proxies('s3').lag(ms);
    repair.defer(() => harness.proxies('s3').pass());
  },
});

export const storeSlow: Drill = {
  name: 'store-slow',
  promise: 'The alert names the object store that takes seconds per request, not the waiting landings and media',
  ...storeLate(3_000),
};

export const storeSlower: Drill = {
  name: 'store-slower',
  promise: 'An object store that takes a little over a second per request sends a page while it is slow',
  ...storeLate(1_200),
};
