import { SERVICES } from '@recording-request/stack/service-plan';
import type { Verdict } from '../judge.ts';
import { sum, type TallyResult, TIMED } from '../measure/tally.ts';
import type { StepResult } from '../step.ts';

const NAME_WIDTH = 24;
const WIDTH = 10;
const WAITED: Record<string, string> = {
  webhook: 'their webhook',
  processed: 'their media',
  transcript: 'their transcript',
};
const MIB = 1024 ** 2;

const line = (name: string, cells: (string | number)[]): string =>
  `  ${name.padEnd(NAME_WIDTH)}${cells.map(cell => String(cell).padStart(WIDTH)).join('')}`;

export function stepTable(step: StepResult): string {
  const { percent, clipsPerMinute, minutes, clips, tally, memory, cpu, waiting, rest, recovery } = step;
  const { requests, errors, shed } = tally;
  const atRest =
    rest.seconds === undefined ? `not at rest: ${rest.left}` : `at rest after ${rest.seconds.toFixed(1)} s`;
  return [
    `${percent} %: ${clipsPerMinute.toFixed(1)} clips a minute for ${minutes} min`,
    `  ${clips} clips, ${requests} requests, ${sum(errors)} errors, ${sum(shed)} refused with Retry-After; ${atRest}`,
    `  at its end ${Object.entries(waiting)
      .map(([stage, count]) => `${count} waited for ${WAITED[stage] ?? stage}`)
      .join(', ')}; other programs had ${(100 * cpu.foreign).toFixed(0)} % of the CPU`,
    ...counted('error', errors),
    ...counted('refused with Retry-After', shed),
    ...latencyLines(tally),
    line('memory, MiB', ['start', 'highest', 'end', 'CPU cores']),
    ...SERVICES.map(name => {
      const { start, highest, end } = memory[name];
      const mebibytes = [start, highest, end].map(bytes => (bytes / MIB).toFixed(0));
      return line(name, [...mebibytes, cpu.cores[name].toFixed(2)]);
    }),
    ...(recovery ? ['  a minute after the step, at 50 %:', ...latencyLines(recovery)] : []),
  ].join('\n');
}

export const verdictLines = (verdicts: readonly Verdict[]): string =>
  verdicts.map(({ promise, state, why }) => `${MARKS[state]} ${promise}: ${state}${why && ` (${why})`}`).join('\n');

const MARKS = { kept: '✔', broken: '✖', 'not judged': '–' } as const;

function latencyLines({ latencies }: TallyResult): string[] {
  const rows = TIMED.flatMap(name => {
    const found = latencies[name];
    return found ? [line(name, [found.count, ...[found.p50, found.p95, found.p99].map(ms => ms.toFixed(0))])] : [];
  });
  return [line('latency, ms', ['count', 'p50', 'p95', 'p99']), ...rows];
}

const counted = (kind: string, counts: Record<string, number>): string[] =>
  Object.entries(counts).map(([what, times]) => `  ${kind}: ${times} × ${what}`);
