import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeClip } from '../clip/make-clip.ts';
import { mismatches } from '../judge/expected.ts';
import { type Judgement, judge } from '../judge/judge.ts';
import type { Row } from '../rows/row.ts';
import type { Pipeline } from './pipeline.ts';

export interface Result extends Omit<Judgement, 'verdict' | 'faults'> {
  row: Row;
  verdict: Judgement['verdict'] | 'error';
  /** The differences from the expected result; empty if there are none. */
  mismatches: string[];
  seconds: number;
}

const ROW_MS = 180_000;

/** Makes the clip of a row unless `cache` has it, sends it through the services, and judges the result. Never rejects. */
export async function runRow(
  row: Row,
  { pipeline, cache, dir, signal }: { pipeline: Pipeline; cache: string; dir: string; signal: AbortSignal },
): Promise<Result> {
  const startedAt = performance.now();
  const limit = AbortSignal.any([signal, AbortSignal.timeout(ROW_MS)]);
  const files = join(dir, 'row');
  const ended = () => Math.round((performance.now() - startedAt) / 100) / 10;
  try {
    await mkdir(files, { recursive: true });
    const path = await makeClip(cache, row.clip, limit);
    const outcome = await pipeline.process(path, files);
    const judgement = await judge(path, row.clip, outcome, limit);
    const { verdict, reason } = judgement;
    return { row, verdict, reason, mismatches: mismatches(row.clip, judgement), seconds: ended() };
  } catch (error) {
    return { row, verdict: 'error', reason: '', mismatches: [String((error as Error).message)], seconds: ended() };
  } finally {
    await rm(files, { recursive: true, force: true });
  }
}
