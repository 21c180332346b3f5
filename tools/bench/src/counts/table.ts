import type { Costs } from './costs.ts';
import { type Cost, totalOf } from './difference.ts';
import { KINDS, type Kind } from './taps.ts';

const SHOWN = 0.05;

/** Returns the costs of each version's requests, clip and idle second as Markdown. */
export function tableOf(costs: Record<string, Costs>): string {
  const versions = Object.keys(costs);
  const all = Object.values(costs);
  const rows = [
    ...Object.keys(all[0]!.requests).map(name => [name, all.map(each => each.requests[name]!)] as const),
    ['one clip, until the webhook of its transcript', all.map(({ clip }) => clip)] as const,
    ['the idle system, a second', all.map(({ idle }) => idle)] as const,
  ];
  const columns = KINDS.flatMap(kind => versions.map(version => (versions.length > 1 ? `${kind}, ${version}` : kind)));
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(['of', ...columns]),
    line(['---', ...columns.map(() => '---')]),
    ...rows.map(([name, each]) =>
      line([name, ...KINDS.flatMap(kind => each.map(cost => totalOf(cost, kind).toFixed(1)))]),
    ),
    '',
    ...versions.flatMap(version => [
      `One clip, ${version}:`,
      ...KINDS.flatMap(kind => detailOf(costs[version]!.clip, kind)),
      '',
      `Idle, a second, ${version}:`,
      ...detailOf(costs[version]!.idle, 'MongoDB operations'),
      '',
    ]),
  ].join('\n');
}

const detailOf = (cost: Cost, kind: Kind): string[] => [
  `  ${kind}: ${totalOf(cost, kind).toFixed(1)}`,
  ...Object.entries(cost[kind])
    .filter(([, count]) => count >= SHOWN)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `    ${count.toFixed(1).padStart(6)}  ${name}`),
];
