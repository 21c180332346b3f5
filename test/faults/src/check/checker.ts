import { setTimeout as delay } from 'node:timers/promises';
import type { SubmissionJson } from '@recording-request/contract/resources/submission';
import type { Bench } from '../harness/harness.ts';
import { programsBelow } from '../harness/processes.ts';
import type { Random } from '../random.ts';
import { endViolations, eventViolations, takeViolations } from './clips.ts';
import { countViolations } from './counts.ts';
import { downloadViolations } from './downloads.ts';

const REST_MS = 240_000;
const EVERY_MS = 500;
const DOWNLOADS = 12;
const SHOWN = 25;

/**
 * Waits until the service is at rest and every promise holds, and gives what is broken when that does not come. Then
 * downloads a sample. What is there at rest stays: a promise that holds at rest held all along, or was mended.
 */
export async function check(bench: Bench, random: Random): Promise<string[]> {
  const end = Date.now() + REST_MS;
  for (;;) {
    const { violations, submissions } = await look(bench);
    if (violations.length === 0) {
      const sample = pickSome(submissions, DOWNLOADS, random);
      return [...bench.violations, ...(await downloadViolations(bench.owner, sample, bench.ledger.entries))];
    }
    if (Date.now() > end) return [...bench.violations, ...shown(violations)];
    await delay(EVERY_MS);
  }
}

async function look(bench: Bench): Promise<{ violations: string[]; submissions: SubmissionJson[] }> {
  const { owner, ledger, expected } = bench;
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
    violations.push(...eventViolations(all, bench.receiver));
    violations.push(...(await bench.leftovers.violations(expected)));
    const running = await programsBelow(bench.workDir, 'ffmpeg');
    if (running.length > 0) violations.push(`${running.length} ffmpeg still run`);
  } catch (error) {
    violations.push(`the check could not look: ${(error as Error).message}`);
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
