import { clear, fill } from '@recording-request/fault-test/harness/small-disk';
import type { Drill } from '../drill.ts';

export const diskFull: Drill = {
  name: 'disk-full',
  promise: 'A disk without room for ffmpeg’s files is named, not the media that nobody gets',
  expects: { alert: 'DiskFull', severity: 'page', labels: { job: /^media$/ } },
  async begin({ smallDisk }, mended) {
    if ('refused' in smallDisk) return smallDisk.refused;
    mended.defer(() => clear(smallDisk.dir));
    await fill(smallDisk.dir, 0);
    return undefined;
  },
};
