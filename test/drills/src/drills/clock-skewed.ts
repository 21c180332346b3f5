import type { Drill } from '../drill.ts';
import { SKEWED } from '../system/system.ts';

export const clockSkewed: Drill = {
  name: 'clock-skewed',
  promise: 'A wrong clock on a node is a ticket: leases and holds use the database’s clock',
  expects: {
    alert: 'ClockSkewed',
    severity: 'ticket',
    labels: { instance: new RegExp(`^${SKEWED.service}-${SKEWED.index}$`) },
  },
  async begin({ harness: { fleet } }, repair) {
    const skewed = fleet.of(SKEWED.service)[SKEWED.index]!;
    repair.defer(() => fleet.stop(skewed));
    await fleet.start(skewed);
  },
};
