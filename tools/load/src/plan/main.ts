import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportFailure } from '@recording-request/stack/report-failure';
import { readMeasured, writeMeasured } from './costs.ts';
import { readInstallation } from './installation.ts';
import { measure } from './measure.ts';
import { HELP, MEASURE, type Options, parseOptions } from './options.ts';
import { planFor } from './plan.ts';
import { linesOf, sourceOf, tableOf } from './table.ts';

const TABLE = [10, 100, 1_000];

async function main(options: Options): Promise<void> {
  const log = (line: string) => console.error(line);
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(name, () => stop.abort(new Error(`ended by ${name}`)));
  const context = { env: process.env, log, signal: stop.signal };
  if (options.measure) {
    const dir = await mkdtemp(join(tmpdir(), 'recording-request-capacity-'));
    try {
      await writeMeasured(await measure(dir, MEASURE, context));
    } finally {
      await rm(dir, { recursive: true, force: true, maxRetries: 5 });
    }
  }
  const measured = await readMeasured();
  const { clipsPerMinute, json, seconds, ...size } = options;
  if (seconds === undefined) {
    process.stdout.write(`${sourceOf(measured)}\n`);
    return;
  }
  const installation = await readInstallation(context);
  // Without a size, as many bytes a second as the longest of the measured clips has.
  const longest = measured.samples.reduce((one, other) => (one.seconds > other.seconds ? one : other));
  const megabytes = size.megabytes ?? (seconds * longest.megabytes) / longest.seconds;
  const plans = (clipsPerMinute ? [clipsPerMinute] : TABLE).map(count =>
    planFor(measured, installation, { ...size, seconds, megabytes, clipsPerMinute: count }),
  );
  if (json)
    process.stdout.write(
      `${JSON.stringify({ measuredAt: measured.at, machine: measured.machine, plans }, undefined, 2)}\n`,
    );
  else process.stdout.write(`${clipsPerMinute ? linesOf(plans[0]!) : tableOf(plans)}\n${sourceOf(measured)}\n`);
}

try {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(HELP);
  else await main(options);
} catch (error) {
  reportFailure(error);
}
process.exit();
