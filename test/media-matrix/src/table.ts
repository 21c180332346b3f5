import { tableOf } from '@recording-request/harness/table';
import { featuresOf } from './rows/row.ts';
import type { Result } from './run/run-row.ts';

const HEAD = ['container', 'codecs', 'feature', 'verdict', 'as expected', 'reason'];

/** Formats the results as a table for a terminal: one line per row, and a total. */
export function matrixTable(results: Result[]): string {
  const lines = results.map(({ row: { clip }, verdict, reason, mismatches }) => [
    clip.container,
    clip.audio === 'none' ? clip.video : `${clip.video}+${clip.audio}`,
    featuresOf(clip),
    verdict,
    mismatches.length === 0 ? 'yes' : 'NO',
    [...(mismatches.length > 0 ? [mismatches.join('; ')] : []), reason].filter(Boolean).join(' | '),
  ]);
  return [tableOf([HEAD, ...lines]), '', totalOf(results)].join('\n');
}

/** Returns a sentence with the number of rows per verdict. */
export function totalOf(results: Result[]): string {
  const count = (verdict: string) => results.filter(result => result.verdict === verdict).length;
  const verdicts = ['equal', 'kept', 'refused', 'failed', 'error'].map(verdict => `${count(verdict)} ${verdict}`);
  const unexpected = results.filter(({ mismatches }) => mismatches.length > 0).length;
  return `${results.length} rows: ${verdicts.join(', ')}. ${unexpected} not as expected.`;
}
