import type { Drill } from '../drill.ts';
import { leakSockets } from '../system/leak.ts';

const LIMIT = 1_024;
const SHARE = 0.92;

export const socketsLeak: Drill = {
  name: 'sockets-leak',
  promise: 'The alert names a process whose sockets nearly reach its file limit, before it refuses connections',
  expects: { alert: 'FileDescriptorsRunningOut', severity: 'page', labels: { instance: /^gateway-0$/ } },
  async begin({ harness: { fleet } }, repair) {
    const [gateway] = fleet.of('gateway');
    await leakSockets({ pid: gateway!.pid!, url: gateway!.http!, share: SHARE, limit: LIMIT }, repair);
  },
};
