import type { ClientOf } from '@recording-request/kit-rpc/grpc-client';
import {
  type StoreFinding,
  StoreFinding_Kind,
  type SubmissionsOperatorServiceServer,
} from '@recording-request/proto/operator/v1/submissions';
import type { CheckCommand } from './command.ts';
import type { Report } from './run.ts';
import type { Terminal } from './run-erase.ts';
import { table } from './table.ts';

export type StoreChecking = Pick<ClientOf<SubmissionsOperatorServiceServer>, 'checkStore'>;

// The number of findings to keep; the command counts all of them.
const SHOWN = 1_000;
const PROGRESS_MS = 2_000;
const HOUR_SECONDS = 3_600;
const COLUMNS = ['PROBLEM', 'BYTES', 'EXPECTED', 'KEY'] as const;

const WORDS = {
  [StoreFinding_Kind.KIND_MISSING]: 'missing',
  [StoreFinding_Kind.KIND_WRONG_SIZE]: 'wrongSize',
  [StoreFinding_Kind.KIND_WRONG_SHA256]: 'wrongSha256',
  [StoreFinding_Kind.KIND_ORPHANED]: 'orphaned',
  [StoreFinding_Kind.KIND_FOREIGN]: 'foreign',
} as const;
type Problem = (typeof WORDS)[keyof typeof WORDS] | 'unknown';

interface Checked {
  expected: number;
  objects: number;
  bytesRead: number;
  young: number;
  deleted: number;
  problems: Record<Problem, number>;
  shown: StoreFinding[];
}

const problemOf = ({ kind }: StoreFinding): Problem =>
  (WORDS as Partial<Record<StoreFinding_Kind, Problem>>)[kind] ?? 'unknown';

/** Walks all records and all objects. Fails with DomainErrors. */
export async function check(service: StoreChecking, command: CheckCommand, { show }: Terminal): Promise<Report> {
  const { deep, deleteOrphans, orphanAgeHours } = command;
  const checked: Checked = {
    ...{ expected: 0, objects: 0, bytesRead: 0, young: 0, deleted: 0, shown: [] },
    problems: { missing: 0, wrongSize: 0, wrongSha256: 0, orphaned: 0, foreign: 0, unknown: 0 },
  };
  let shownAt = performance.now();
  for (let cursor = ''; ; ) {
    const request = { cursor, deep, deleteOrphans, orphanAgeSeconds: orphanAgeHours * HOUR_SECONDS };
    const batch = await service.checkStore(request);
    for (const count of ['expected', 'objects', 'bytesRead', 'young'] as const) checked[count] += Number(batch[count]);
    for (const finding of batch.findings) note(checked, finding);
    cursor = batch.nextCursor;
    if (cursor === '') return report(checked);
    if (performance.now() - shownAt < PROGRESS_MS) continue;
    shownAt = performance.now();
    show(soFar(checked));
  }
}

function note(checked: Checked, finding: StoreFinding): void {
  checked.problems[problemOf(finding)] += 1;
  if (finding.deleted) checked.deleted += 1;
  if (checked.shown.length < SHOWN) checked.shown.push(finding);
}

const number = (count: number): string => count.toLocaleString('en');

function soFar({ expected, objects, bytesRead }: Checked): string {
  const read = bytesRead > 0 ? `, ${number(bytesRead)} bytes read` : '';
  return `${number(expected)} objects that records name, ${number(objects)} of the store${read}`;
}

/** Reports the findings. Unknown and deleted objects do not count as a disagreement. */
function report(checked: Checked): Report {
  const { problems, deleted, young, shown } = checked;
  const all = Object.values(problems).reduce((sum, count) => sum + count, 0);
  const agrees = all - problems.foreign - deleted === 0;
  const rows = shown.map(each => [
    ...[each.deleted ? 'orphaned, deleted' : problemOf(each), number(Number(each.size))],
    ...[number(Number(each.expectedSize)), each.key],
  ]);
  const lines = [soFar(checked), ...(rows.length > 0 ? table(COLUMNS, rows, '') : [])];
  if (all > shown.length) lines.push(`and ${number(all - shown.length)} more`);
  if (young > 0) lines.push(`${number(young)} have no record, but are too new to be orphans`);
  lines.push(agrees ? 'MongoDB and the object store agree' : `they do not agree: ${countsOf(problems)}`);
  const { shown: _shown, ...counts } = checked;
  const findings = shown.map(each => ({ ...each, kind: problemOf(each) }));
  return { lines, value: { agrees, ...counts, findings }, failed: !agrees };
}

const countsOf = (problems: Checked['problems']): string =>
  Object.entries(problems)
    .filter(([, count]) => count > 0)
    .map(([problem, count]) => `${number(count)} ${problem}`)
    .join(', ');
