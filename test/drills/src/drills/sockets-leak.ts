import type { Drill } from '../drill.ts';
import { leakSockets } from '../system/leak.ts';

const LIMIT = 1_024;
const SHARE = 0.92;

export const socketsLeak: Drill = {
  name: 'sockets-leak',
  promise: 'A process that has nearly as many sockets as it may have files is named before it refuses anybody',
  expects: { alert: 'FileDescriptorsRunningOut', severity: 'page', labels: { instance: /^gateway-0$/ } },
  async begin({ harness: { fleet } }, mended) {
    const [gateway] = fleet.of('gateway');
    await leakSockets({ pid: gateway!.pid!, url: gateway!.http!, share: SHARE, limit: LIMIT }, mended);
  },
};
