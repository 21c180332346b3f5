import { bounded } from '@recording-request/kit/bounds';
import { ConfigError, StartError } from '@recording-request/kit/config';
import { NoAddress, storesOf } from '../address.ts';
import type { DoctorCommand } from '../command.ts';
import type { Report } from '../run.ts';
import { type Finding, type Line, note, wrong } from './finding.ts';
import { kafkaLines } from './kafka.ts';
import { mongoLines } from './mongo.ts';
import { EVERYTHING, type Needs, WORKLOADS } from './needs.ts';
import { objectLines } from './objects.ts';
import { publicUrlLines } from './public-url.ts';
import { reasonOf } from './reason.ts';
import { redisLines } from './redis.ts';
import { settingLines } from './settings.ts';
import { speechLines } from './speech.ts';
import { telemetryLines } from './telemetry.ts';

/** One server to try, or the settings. */
interface Check {
  about: string;
  /**
   * The variable with the server's address. Without `--as`, the doctor skips the server if this variable is not set.
   */
  variable?: string;
  lines(): Promise<Line[]>;
}

/** A check has several steps, and each of them may take the whole limit. */
const STEPS = 3;

/** Tries every server of a workload, all at the same time. The report failed if anything is wrong. */
export async function runDoctor(env: NodeJS.ProcessEnv, command: DoctorCommand, dataDir?: string): Promise<Report> {
  const { workload, timeoutSeconds } = command;
  const limitMs = timeoutSeconds * 1_000;
  const values = workload ? env : await storesOf(env, dataDir);
  const checks = checksOf(values, workload ? WORKLOADS[workload] : EVERYTHING, limitMs).filter(
    ({ variable }) => workload !== undefined || variable === undefined || isSet(values, variable),
  );
  if (workload) checks.unshift({ about: 'settings', lines: () => settingLines(workload, values) });
  if (checks.every(({ variable }) => variable === undefined) && !workload)
    throw new NoAddress('No server is known: set the variables of the services, or start everything with "npm start".');
  const findings = (await Promise.all(checks.map(check => findingsOf(check, limitMs, workload !== undefined)))).flat();
  return report(findings);
}

const isSet = (env: NodeJS.ProcessEnv, name: string): boolean => Boolean(env[name] || env[`${name}_FILE`]);

function checksOf(env: NodeJS.ProcessEnv, needs: Needs, limitMs: number): Check[] {
  const { databases, consumers, objects } = needs;
  const checks: (Check | undefined | false)[] = [
    databases && { about: 'MongoDB', variable: 'MONGO_URL', lines: () => mongoLines(env, databases, limitMs) },
    consumers && { about: 'Kafka', variable: 'KAFKA_BROKERS', lines: () => kafkaLines(env, consumers, limitMs) },
    objects && { about: 'object store', variable: 'S3_ENDPOINT', lines: () => objectLines(env, objects, limitMs) },
    needs.redis && { about: 'Redis', variable: 'REDIS_URL', lines: () => redisLines(env, limitMs) },
    needs.speech && { about: 'speech', variable: 'SPEECH_BASE_URL', lines: () => speechLines(env, limitMs) },
    needs.telemetry && { about: 'collector', lines: () => telemetryLines(env, limitMs) },
    needs.publicUrl && {
      about: 'public address',
      variable: 'PUBLIC_BASE_URL',
      lines: () => publicUrlLines(env, limitMs),
    },
  ];
  return checks.filter(check => check !== undefined && check !== false);
}

async function findingsOf({ about, lines }: Check, limitMs: number, hasSettings: boolean): Promise<Finding[]> {
  const found = await bounded(lines(), STEPS * limitMs, about).catch(error => [lineOf(error, hasSettings)]);
  return found.map(([state, text]) => ({ about, state, text }));
}

/** Does not repeat the faults of settings at each server, because a separate check reports these. */
const lineOf = (error: unknown, hasSettings: boolean): Line =>
  hasSettings && error instanceof ConfigError && !(error instanceof StartError)
    ? note('not checked, because its settings cannot be used')
    : wrong(reasonOf(error));

function report(findings: Finding[]): Report {
  const width = Math.max(...findings.map(({ about }) => about.length));
  const lines = findings.map(({ about, state, text }) => {
    const shown = state === 'wrong' ? 'WRONG' : state;
    return `${shown.padEnd('WRONG'.length)}  ${about.padEnd(width)}  ${text}`;
  });
  const faults = findings.filter(({ state }) => state === 'wrong').length;
  const end = faults === 0 ? 'nothing is wrong' : `${faults} ${faults === 1 ? 'thing is' : 'things are'} wrong`;
  return { lines: [...lines, end], value: findings, failed: faults > 0 };
}
