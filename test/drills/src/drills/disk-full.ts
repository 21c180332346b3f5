import { clear, fill } from '@recording-request/testing/small-disk';
import type { Drill } from '../drill.ts';

export const diskFull: Drill = {
  name: 'disk-full',
  promise: 'The alert names the full disk of ffmpeg’s files, not the missing media',
  expects: { alert: 'DiskFull', severity: 'page', labels: { job: /^media$/ } },
  async begin({ smallDisk }, repair) {
    if ('refused' in smallDisk) return smallDisk.refused;
    repair.defer(() => clear(smallDisk.dir));
    await fill(smallDisk.dir, 0);
    return undefined;
  },
};
