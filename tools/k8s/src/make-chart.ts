import { USAGE_STATUS } from '@recording-request/kit/command-line';
import { CHART, writeChartFiles } from './chart.ts';
import { ensureKustomize } from './install.ts';

const HELP = `npm run chart

Writes deploy/chart/files, the objects of the Helm chart, from deploy/k8s. The chart
cannot be installed without them. Run it again after each change of deploy/k8s.
`;

if (process.argv.length > 2) {
  process.stdout.write(HELP);
  process.exitCode = process.argv[2] === '--help' ? 0 : USAGE_STATUS;
} else {
  const kustomize = await ensureKustomize({ env: process.env, log: line => console.error(line) });
  await writeChartFiles({ kustomize }, CHART);
  process.stdout.write('deploy/chart/files is up to date\n');
}
