import { print, progress, runCommand } from '@recording-request/harness/command';
import { openScratch } from '@recording-request/harness/scratch';
import { readMeasured, writeMeasured } from './costs.ts';
import { readInstallation } from './installation.ts';
import { measure } from './measure.ts';
import { HELP, MEASURE, type Options, parseOptions } from './options.ts';
import { planFor } from './plan.ts';
import { plansTable, sourceOf } from './table.ts';

const TABLE = [10, 100, 1_000];

async function main(options: Options, signal: AbortSignal): Promise<void> {
  const context = { env: process.env, log: progress, signal };
  if (options.measure) {
    await using scratch = await openScratch('capacity');
    await writeMeasured(await measure(scratch.path, MEASURE, context));
  }
  const measured = await readMeasured();
  const { clipsPerMinute, seconds, ...size } = options;
  if (seconds === undefined) return print(sourceOf(measured));
  const installation = await readInstallation(context);
  // The default is the byte rate of the longest measured clip.
  const longest = measured.samples.reduce((one, other) => (one.seconds > other.seconds ? one : other));
  const megabytes = size.megabytes ?? (seconds * longest.megabytes) / longest.seconds;
  const plans = (clipsPerMinute ? [clipsPerMinute] : TABLE).map(count =>
    planFor(measured, installation, { ...size, seconds, megabytes, clipsPerMinute: count }),
  );
  print(`${plansTable(plans)}\n${sourceOf(measured)}`);
}

await runCommand({ help: HELP, parse: parseOptions, run: main });
