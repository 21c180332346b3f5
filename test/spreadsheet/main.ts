/** `npm run test:spreadsheet`: the export.csv of hostile texts, opened by headless LibreOffice. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { csvHeader, csvRow } from '@recording-request/contract/export';
import { Submission, type SubmissionJson } from '@recording-request/contract/resources/submission';
import { print, runCommand } from '@recording-request/harness/command';
import { parseFlags } from '@recording-request/harness/options';
import { openScratch } from '@recording-request/harness/scratch';
import { ensureDebian } from '@recording-request/stack/install/debian';
import { onPath } from '@recording-request/stack/install/find';
import { guarded, PAYLOADS } from '../system/suites/spreadsheet-payloads.ts';
import { type Cell, openInSpreadsheet } from './spreadsheet.ts';

const HELP = `npm run test:spreadsheet

Opens an export.csv of hostile texts in LibreOffice, which it installs, and reports which cells became formulas.
`;

/** The columns of the CSV that contain texts from other people. */
const FREE_TEXTS = ['projectName', 'questionText', 'note', 'reviewNote', 'transcriptText'] as const;

function submissionOf(payload: string): SubmissionJson {
  const nothing = Object.fromEntries(Object.keys(Submission.properties).map(name => [name, null]));
  return { ...nothing, ...Object.fromEntries(FREE_TEXTS.map(name => [name, payload])) } as unknown as SubmissionJson;
}

/** Writes the texts as RFC 4180 requires, without the guard against formulas. */
const unguardedRow = (payload: string) => `${FREE_TEXTS.map(() => `"${payload.replaceAll('"', '""')}"`).join(',')}\r\n`;

const oneLineEnd = (text: string) => text.replaceAll(/\r\n?/g, '\n');

function faultOf(cell: Cell | undefined, payload: string): string | undefined {
  if (!cell) return 'not there';
  if (cell.formula !== null) return `a formula: ${cell.formula}`;
  if (cell.type !== 'string') return `no text but ${cell.type}`;
  const want = oneLineEnd(guarded(payload));
  return cell.text === want ? undefined : `${JSON.stringify(cell.text)} instead of ${JSON.stringify(want)}`;
}

async function judge(scratch: string): Promise<boolean> {
  const guardedFile = join(scratch, 'export.csv');
  const openFile = join(scratch, 'unguarded.csv');
  await writeFile(guardedFile, csvHeader() + PAYLOADS.map(payload => csvRow(submissionOf(payload))).join(''));
  await writeFile(openFile, `${FREE_TEXTS.join(',')}\r\n${PAYLOADS.map(unguardedRow).join('')}`);
  const [header, ...rows] = await openInSpreadsheet(guardedFile);
  const [, ...unguarded] = await openInSpreadsheet(openFile);
  const columns = FREE_TEXTS.map(name => header!.findIndex(cell => cell.text === name));

  let good = rows.length === PAYLOADS.length && columns.every(at => at >= 0);
  if (!good) print(`${rows.length} rows were read of ${PAYLOADS.length}, or a column is missing`);
  let wouldRun = 0;
  print(`${'text'.padEnd(52)}without the guard   in export.csv`);
  PAYLOADS.forEach((payload, at) => {
    const runs = unguarded[at]?.some(cell => cell.formula !== null) ?? false;
    if (runs) wouldRun += 1;
    const stray = rows[at]?.find(cell => cell.formula !== null);
    const faults = columns.map(column => faultOf(rows[at]?.[column], payload));
    const fault = faults.find(Boolean) ?? (stray && `a formula: ${stray.formula}`);
    if (fault) good = false;
    print(`${JSON.stringify(payload).padEnd(52)}${(runs ? 'formula' : 'text').padEnd(20)}${fault ?? 'the text'}`);
  });
  if (wouldRun === 0) print('No text became a formula without the guard either: this spreadsheet proves nothing.');
  const cells = PAYLOADS.length * FREE_TEXTS.length;
  print(`\n${cells} cells of ${PAYLOADS.length} texts: ${good ? 'no formula, each text recoverable' : 'FAILED'}`);
  print(`without the guard ${wouldRun} of the texts are formulas`);
  return good && wouldRun > 0;
}

async function run(): Promise<number> {
  if (!(await onPath('soffice'))) await ensureDebian(['libreoffice-calc'], print, { force: true });
  if (!(await onPath('python3'))) await ensureDebian(['python3'], print);
  await using scratch = await openScratch('spreadsheet');
  return Number(!(await judge(scratch.path)));
}

await runCommand({ help: HELP, parse: args => parseFlags(args, {}), run });
