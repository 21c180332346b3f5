import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ensureHelm, ensureKustomize } from '../src/install.ts';
import { EXAMPLE, openChart } from './rendered-chart.ts';

const context = { env: process.env, log: (line: string) => console.error(line) };
const chart = await openChart({ kustomize: await ensureKustomize(context) }, await ensureHelm(context));
after(() => chart[Symbol.asyncDispose]());
const { template, refusal } = chart;

const roomOf = (limit: string | number, tmp?: string) => ({
  services: { media: { ...(tmp && { tmp }), resources: { limits: { 'ephemeral-storage': limit } } } },
});

for (const [values, told] of [
  [
    { services: { gateway: { autoscaling: { max: 1 } } } },
    /services\.gateway\.autoscaling: min \(2\) is more than max /,
  ],
  [{ services: { gateway: { autoscaling: { min: 12 } } } }, /gateway\.autoscaling: min \(12\) .* max \(10\)/],
  [{ services: { media: { autoscaling: { max: 1 } } } }, /services\.media\.autoscaling: min \(2\) .* max \(1\)/],
  [{ services: { transcription: { autoscaling: { min: 6 } } }, scaling: 'cpu' }, /min \(6\) is more than max \(5\)/],
  [
    { services: { webhooks: { autoscaling: { max: 7 } } } },
    /webhooks\.autoscaling: max \(7\) .* KAFKA_PARTITIONS \(6\)/,
  ],
  [roomOf('10Gi', '64Gi'), /services\.media\.tmp needs .* \/tmp may hold 64Gi, .* uses more than 10Gi/],
  [roomOf('10Gi'), /services\.media\.tmp needs .* \/tmp may hold 16Gi/],
  [roomOf('64Gi', '64Gi'), /services\.media\.tmp needs/],
  [roomOf('68.7G', '64Gi'), /services\.media\.tmp needs/],
  [roomOf('much'), /much is not a size such as 20Gi/],
] as const)
  test(`refuses bounds that conflict with defaults: ${JSON.stringify(values)}`, async () => {
    assert.match(await refusal(values, EXAMPLE), told);
  });

test('accepts bounds that are equal', async () => {
  await template({ services: { gateway: { autoscaling: { max: 2 } } } }, EXAMPLE);
  const webhooks = { autoscaling: { max: 12 } };
  await template({ services: { webhooks }, settings: { KAFKA_PARTITIONS: '12' } }, EXAMPLE);
  for (const [limit, tmp] of [
    ['68.8G', '64Gi'],
    [68_720_000_000, '64Gi'],
    ['1Ti', '1023Gi'],
    ['9Gi', '8Gi'],
  ] as const)
    await template(roomOf(limit, tmp), EXAMPLE);
});
