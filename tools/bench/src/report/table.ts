import { readFile, writeFile } from 'node:fs/promises';
import type { FindingResult, RowResult, RunResult } from './results.ts';

const BEGIN = '<!-- made by npm run bench: begin -->';
const END = '<!-- made by npm run bench: end -->';
const COMMIT_DIGITS = 8;

/**
 * The table of the newest run that judged each row, in Markdown, with the rows that no run has. What is met tells in how
 * many runs in a row it was; void runs since then are named, and told where there is no other.
 */
export function tableOf(runs: readonly RunResult[], known: readonly Pick<RowResult, 'name' | 'title'>[] = []): string {
  const newest = new Map<string, Newest>();
  for (const { rows, date, commit, machine } of runs)
    for (const row of rows) {
      const before = newest.get(row.name);
      // A run that could measure nothing takes nothing back.
      if (row.state === 'not measured' && before) continue;
      if (row.state === 'void' && before?.row.state === 'judged') {
        before.voidSince.push(date);
        continue;
      }
      const earlier = before ? [before.row, ...before.earlier] : [];
      const run = [date, commit.slice(0, COMMIT_DIGITS), processorOf(machine)].filter(Boolean).join(', ');
      newest.set(row.name, { row, run, earlier, voidSince: [] });
    }
  const missing = known.filter(({ name }) => !newest.has(name));
  const lines = [
    ...[...newest.values()].map(each => ({ name: each.row.name, lines: linesOf(each) })),
    ...missing.map(({ name, title }) => ({ name, lines: [`| ${name} | ${title} | | | | | | not measured |`] })),
  ]
    .sort((a, b) => Number(a.name) - Number(b.name))
    .flatMap(each => each.lines);
  return [
    '| # | what | goal | median | interval | rounds | run, commit, processor | verdict |',
    '|---|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}

interface Newest {
  row: RowResult;
  /** Its date, commit and processor. */
  run: string;
  /** The newest first. */
  earlier: RowResult[];
  /** The dates of later runs in which it was void. */
  voidSince: string[];
}

function linesOf({ row, run, earlier, voidSince }: Newest): string[] {
  const what = `${row.name} | ${row.title}`;
  const isJudged = row.state === 'judged';
  const head = isJudged ? [] : [`| ${what} | | | | ${row.rounds.length} | ${run} | **${row.state}**: ${row.why} |`];
  const lines = row.findings.map((finding, at) => {
    const { text, bound, median, verdict } = finding;
    const first = isJudged && at === 0 ? `${what} <br>` : ' | ';
    const since = at === 0 && voidSince.length > 0 ? ` <br> void since: ${voidSince.join(', ')}` : '';
    const told = isJudged ? `**${verdict}**${timesMet(finding, earlier)}${since}` : `(${verdict})`;
    return `| ${first} ${text} | ${bound} | ${median ?? ''} | ${range(finding)} | ${row.rounds.length} | ${run} | ${told} |`;
  });
  return [...head, ...lines];
}

/** The name of a machine's processor, without what every name has. */
const processorOf = ({ cpu = '' }: RunResult['machine']): string =>
  String(cpu)
    .replaceAll(/\((?:R|TM)\)/g, '')
    .replace(/ (?:Processor|CPU)\b.*| @.*/, '');

/** Runs that were not judged say nothing about others, nor does one with another goal. `earlier`: the newest first. */
function timesMet({ verdict, text, bound }: FindingResult, earlier: readonly RowResult[]): string {
  if (verdict !== 'met') return '';
  const same = earlier
    .filter(({ state }) => state === 'judged')
    .flatMap(({ findings }) => findings.filter(each => each.text === text && each.bound === bound));
  const missed = same.findIndex(each => each.verdict !== 'met');
  const times = 1 + (missed < 0 ? same.length : missed);
  return times === 1 ? ', once' : `, ${times} times in a row`;
}

const range = ({ low, high }: FindingResult) => (low === undefined ? '' : `${low} to ${high}`);

/** What a person at a terminal is told of one row. */
export function summaryOf(row: RowResult): string {
  const head = `${row.name}  ${row.title}: ${row.rounds.length} rounds in ${row.seconds} s`;
  const why = `    ${row.state}: ${row.why}`;
  if (row.state === 'not measured') return `${head}\n${why}`;
  const lines = [...row.findings, ...row.self].map(finding => `    ${lineOf(finding)}`);
  return [head, ...(row.state === 'void' ? [why] : []), ...lines].join('\n');
}

/** One figure of a row, as a person at a terminal is told it. */
export const lineOf = (finding: FindingResult): string =>
  `${finding.verdict.padEnd(9)} ${finding.text} ${finding.bound}: ${finding.median ?? ''}${finding.low === undefined ? '' : ` (${range(finding)})`}`;

/** Puts the table between its markers in a document. Rejects where the markers are missing. */
export async function updateDocument(path: string, table: string): Promise<void> {
  const text = await readFile(path, 'utf8');
  await writeFile(path, withTable(text, table));
}

/** Returns the text with the table between its markers. Throws where they are missing. */
export function withTable(text: string, table: string): string {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin)
    throw new Error(`The document has no lines "${BEGIN}" and "${END}" to put the table between.`);
  return `${text.slice(0, begin + BEGIN.length)}\n\n${table}\n\n${text.slice(end)}`;
}
