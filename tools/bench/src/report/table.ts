import { readFile, writeFile } from 'node:fs/promises';
import type { FindingResult, KeptRow, RowResult } from './results.ts';

const BEGIN = '<!-- made by npm run bench: begin -->';
const END = '<!-- made by npm run bench: end -->';

/** Returns the kept rows as Markdown. */
export const tableOf = (rows: readonly KeptRow[]): string =>
  [
    '| # | measurement | goal | median | interval | rounds | run, commit, processor | verdict |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.flatMap(linesOf),
  ].join('\n');

const linesOf = ({ name, title, date, commit, cpu, rounds, findings }: KeptRow): string[] =>
  findings.map((finding, at) => {
    const { text, bound, median, verdict } = finding;
    const first = at === 0 ? `${name} | ${title} <br>` : ' | ';
    const run = [date, commit, processorOf(cpu)].filter(Boolean).join(', ');
    return `| ${first} ${text} | ${bound} | ${median ?? ''} | ${range(finding)} | ${rounds} | ${run} | ${verdict} |`;
  });

/** Returns the name of a processor without its generic words. */
const processorOf = (cpu: string): string =>
  cpu.replaceAll(/\((?:R|TM)\)/g, '').replace(/ (?:Processor|CPU)\b.*| @.*/, '');

const range = ({ low, high }: FindingResult) => (low === undefined ? '' : `${low} to ${high}`);

/** Returns one row for the terminal. */
export function summaryOf(row: RowResult): string {
  const head = `${row.name}  ${row.title}: ${row.rounds} rounds in ${row.seconds} s`;
  const why = `    ${row.state}: ${row.why}`;
  if (row.state === 'not measured') return `${head}\n${why}`;
  const lines = [...row.findings, ...row.self].map(finding => `    ${lineOf(finding)}`);
  return [head, ...(row.state === 'void' ? [why] : []), ...lines].join('\n');
}

/** Returns one figure of a row for the terminal. */
export const lineOf = (finding: FindingResult): string =>
  `${finding.verdict.padEnd(9)} ${finding.text} ${finding.bound}: ${finding.median ?? ''}${finding.low === undefined ? '' : ` (${range(finding)})`}`;

/** Puts the table between its markers in a document. Rejects when the markers are missing. */
export async function updateDocument(path: string, table: string): Promise<void> {
  const text = await readFile(path, 'utf8');
  await writeFile(path, withTable(text, table));
}

/** Returns the text with the table between its markers. Throws when they are missing. */
export function withTable(text: string, table: string): string {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`The document has no lines "${BEGIN}" and "${END}" for the table.`);
  return `${text.slice(0, begin + BEGIN.length)}\n\n${table}\n\n${text.slice(end)}`;
}
