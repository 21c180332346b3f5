import type { Drill } from '../drill.ts';
import { SKEWED } from '../system/system.ts';

export const clockSkewed: Drill = {
  name: 'clock-skewed',
  promise: 'A process whose node has a wrong clock is a ticket: leases and holds go by the database’s clock',
  expects: {
    alert: 'ClockSkewed',
    severity: 'ticket',
    labels: { instance: new RegExp(`^${SKEWED.service}-${SKEWED.index}$`) },
  },
  async begin({ harness: { fleet } }, mended) {
    const skewed = fleet.of(SKEWED.service)[SKEWED.index]!;
    mended.defer(() => fleet.stop(skewed));
    await fleet.start(skewed);
  },
};
