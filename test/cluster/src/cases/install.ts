import { join } from 'node:path';
import { BASE } from '@recording-request/k8s/repository';
import type { ClusterCase } from '../cluster-case.ts';
import type { ClusterHarness } from '../harness.ts';
import { performDemo } from '../product/demo.ts';
import { diagnose } from '../product/doctor.ts';
import { migrate } from '../product/product.ts';

const DOCTOR = [join(BASE, '../doctor')];
const ABSENT = 'absent-bucket';

/** Runs the Job `doctor` with the settings of the installation, and with the name of a bucket that does not exist. */
async function judgeDoctor({ product, overlay, violated, noted }: ClusterHarness): Promise<void> {
  const sound = await diagnose(product, await overlay('overlay-doctor', { components: DOCTOR }));
  const reports = Object.entries(sound.reports);
  if (!sound.succeeded) violated('the doctor of a sound installation fails');
  for (const [workload, report] of reports)
    if (!report.trimEnd().endsWith('nothing is wrong')) violated(`the doctor of ${workload} reports: ${report}`);
  noted(`doctor: nothing is wrong with ${reports.map(([workload]) => workload).join(', ')}`);
  const settings = { S3_BUCKET: ABSENT };
  const faulty = await diagnose(product, await overlay('overlay-doctor-absent', { components: DOCTOR, settings }));
  if (faulty.succeeded || !new RegExp(`^WRONG .*${ABSENT}`, 'm').test(faulty.reports.submissions ?? ''))
    violated(`the doctor does not find that a bucket is missing: ${faulty.reports.submissions}`);
}

export const installCase: ClusterCase = {
  name: 'install',
  promise:
    'in a new installation, every step of the demo succeeds through the cluster’s own addresses, and clips land with all their results; a second migration changes nothing; the doctor finds nothing wrong, and finds a missing bucket',
  async run(harness, { random, clips }) {
    await performDemo(harness);
    await harness.load(clips, random);
    const said = await migrate(harness.product, harness.objects);
    if (/is applied|: made/.test(said)) harness.violated(`a second migration made a change: ${said}`);
    for (const found of [/^topic \S+: is there, with \d+ partitions?$/m, /^bucket \S+: is there$/m])
      if (!found.test(said)) harness.violated(`the output of a second migration does not match ${found}: ${said}`);
    await judgeDoctor(harness);
  },
};
