import type { Drill } from '../drill.ts';
import { stepDown, stepUp } from '../system/primary.ts';

export const primaryGone: Drill = {
  name: 'primary-gone',
  promise: 'A database whose members elect no primary is named, not all that writes to it',
  expects: { alert: 'DatabaseWithoutPrimary', severity: 'page' },
  async begin({ harness }, mended) {
    const url = harness.serversEnv.MONGO_URL!;
    mended.defer(() => stepUp(url));
    await stepDown(url);
  },
};
