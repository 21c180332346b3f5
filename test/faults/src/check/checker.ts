import { setTimeout as delay } from 'node:timers/promises';
import type { SubmissionJson } from '@recording-request/contract/resources/submission';
import { programsBelow } from '@recording-request/harness/proc';
import type { Random } from '@recording-request/stack/random';
import type { Harness } from '../harness/harness.ts';
import { endViolations, eventViolations, takeViolations } from './clips.ts';
import { countViolations } from './counts.ts';
import { downloadViolations } from './downloads.ts';

/** The parts of a harness that the checker reads. */
export type Judged = Pick<
  Harness,
  'owner' | 'ledger' | 'receiver' | 'leftovers' | 'expected' | 'violations' | 'noted' | 'workDir'
>;

const REST_MS = 240_000;
const EVERY_MS = 500;
/** The checker notes a longer wait. */
const LONG_REST_SECONDS = 20;
const DOWNLOADS = 12;
const SHOWN = 25;

/**
 * Waits until the service is at rest and every promise holds, then downloads a sample. Returns the violations that remain after
 * `restMs` milliseconds.
 */
export async function check(harness: Judged, random: Random, restMs = REST_MS): Promise<string[]> {
  const start = Date.now();
  const end = start + restMs;
  let last: string[] = [];
  for (;;) {
    const began = Date.now();
    const { violations, submissions } = await look(harness);
    if (violations.length === 0) {
      const seconds = Math.round((began - start) / 1_000);
      if (seconds >= LONG_REST_SECONDS) harness.noted(`at rest after ${seconds} s; the last violation: ${last.at(-1)}`);
      const sample = pickSome(submissions, DOWNLOADS, random);
      return [...harness.violations, ...(await downloadViolations(harness.owner, sample, harness.ledger.entries))];
    }
    if (Date.now() > end) return [...harness.violations, ...shown(violations)];
    last = violations;
    // Pauses between the rounds, because reading thousands of clips is load too.
    await delay(Math.max(EVERY_MS, Date.now() - began));
  }
}

async function look(harness: Judged): Promise<{ violations: string[]; submissions: SubmissionJson[] }> {
  const { owner, ledger, expected } = harness;
  const violations: string[] = [];
  const all: SubmissionJson[] = [];
  try {
    for (const project of owner.projects) {
      const entries = ledger.entries.filter(entry => entry.projectId === project.projectId);
      const submissions = await owner.submissions(project.projectId);
      const { stats } = await owner.detail(project.projectId);
      const links = await owner.links(project.projectId);
      all.push(...submissions);
      violations.push(...endViolations(submissions, project, entries, expected));
      violations.push(...countViolations(submissions, links, stats, entries, expected));
    }
    violations.push(...takeViolations(all, ledger.entries));
    violations.push(...eventViolations(all, harness.receiver, ledger.entries));
    violations.push(...(await harness.leftovers.violations(expected)));
    const running = await programsBelow(harness.workDir, 'ffmpeg');
    if (running.length > 0) violations.push(`${running.length} ffmpeg processes still run`);
  } catch (error) {
    violations.push(`the check failed: ${(error as Error).message}`);
  }
  return { violations, submissions: all };
}

function shown(violations: string[]): string[] {
  if (violations.length <= SHOWN) return violations;
  return [...violations.slice(0, SHOWN), `and ${violations.length - SHOWN} more`];
}

function pickSome<T>(items: T[], count: number, random: Random): T[] {
  const left = [...items];
  return Array.from(
    { length: Math.min(count, left.length) },
    () => left.splice(random.integer(0, left.length - 1), 1)[0]!,
  );
}
