import { fileURLToPath } from 'node:url';
import { ConfigError, loadConfig } from '@recording-request/kit/config';
import { healthVariables, internalVariables, processVariables } from '@recording-request/kit/service-variables';
import { speechVariables } from '@recording-request/kit/speech-variables';
import { kafkaVariables } from '@recording-request/kit-kafka/variables';
import { objectVariables } from '@recording-request/kit-objects/variables';
import { readSignals } from '@recording-request/kit-telemetry/settings';
import { readSettings } from '../backup/settings.ts';
import { refuseUnknownSettings } from '../unknown-settings.ts';
import { type Line, note, ok, wrong } from './finding.ts';
import type { Workload } from './needs.ts';

type Read = (env: NodeJS.ProcessEnv) => unknown;

const OF_WORKERS = {
  ...processVariables,
  ...healthVariables,
  ...internalVariables,
  ...kafkaVariables,
  ...objectVariables,
};

/** Reads the settings of a workload in the same way as its process at the start. */
export async function settingLines(workload: Workload, env: NodeJS.ProcessEnv): Promise<Line[]> {
  const { read, isPartial } = await readerOf(workload);
  const faults = [read, readSignals, refuseUnknownSettings].flatMap(each => faultsOf(() => each(env)));
  if (faults.length > 0) return faults.map(fault => wrong(`${fault} (docs/settings.md)`));
  return [
    ok(`the settings of ${workload} can be read`),
    ...(isPartial ? [note(`${workload} has more settings, which its own process checks when it starts`)] : []),
  ];
}

function faultsOf(read: () => unknown): string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

/** The image with this tool does not contain media and transcription, so their own settings may be missing here. */
async function readerOf(workload: Workload): Promise<{ read: Read; isPartial?: true }> {
  if (workload === 'migrate' || workload === 'backup') return { read: readSettings };
  try {
    const file = new URL(`../../../../services/${workload}/src/config.ts`, import.meta.url);
    return { read: (await import(fileURLToPath(file))).readConfig };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const more = workload === 'transcription' ? speechVariables : {};
    return { read: env => loadConfig(env, { ...OF_WORKERS, ...more }), isPartial: true };
  }
}
