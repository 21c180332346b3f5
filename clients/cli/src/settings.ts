import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { EXIT, Failure, UsageFailure } from './failures.ts';

/**
 * Returns the settings of the options --settings and --set. A value of --set overrides the same setting of --settings.
 */
export async function settingsOf(
  { set, settings }: { set: string[]; settings: string | undefined },
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const all = settings === undefined ? {} : await fileOf(settings, signal);
  for (const each of set) {
    const [, name, value] = /^(\w+)=(.*)$/s.exec(each) ?? [];
    if (name === undefined || value === undefined) throw new UsageFailure(`--set ${each} must be NAME=VALUE.`);
    if (name === 'webhookSecret')
      throw new UsageFailure('Other users can see arguments: put webhookSecret into a file, and use --settings FILE.');
    all[name] = parsedValue(value);
  }
  return all;
}

async function fileOf(path: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  const content = path === '-' ? await text(process.stdin) : await readFile(path, { encoding: 'utf8', signal });
  const name = path === '-' ? 'stdin' : path;
  let value: unknown;
  try {
    value = JSON.parse(content.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new Failure(EXIT.invalid, `${name} is not JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Failure(EXIT.invalid, `${name} must be a JSON object, such as {"maxDurationSec": 60}.`);
  return value as Record<string, unknown>;
}

/** Returns the value of a text that is JSON; otherwise returns the text itself. */
function parsedValue(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
