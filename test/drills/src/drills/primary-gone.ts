import type { Drill } from '../drill.ts';
import { stepDown, stepUp } from '../system/primary.ts';

export const primaryGone: Drill = {
  name: 'primary-gone',
  promise: 'The alert names the database without a primary, not the services that write to it',
  expects: { alert: 'DatabaseWithoutPrimary', severity: 'page' },
  async begin({ harness }, repair) {
    const url = harness.serversEnv.MONGO_URL!;
    repair.defer(() => stepUp(url));
    await stepDown(url);
  },
};
