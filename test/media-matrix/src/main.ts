import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensure } from '@recording-request/stack/install/ensure';
import { reportFailure } from '@recording-request/stack/report-failure';
import { startServers } from '@recording-request/stack/servers';
import { HELP, type Options, parseOptions } from './options.ts';
import { allRows } from './rows/all.ts';
import { scratchFolder, startPipeline } from './run/pipeline.ts';
import { type Result, runRow } from './run/run-row.ts';
import { tableOf, totalOf } from './table.ts';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const CACHE = join(tmpdir(), 'recording-request-media-matrix');

const print = (line: string) => process.stdout.write(`${line}\n`);
const progress = (line: string) => process.stderr.write(`${line}\n`);

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2), allRows);
  if (options.help) print(HELP);
  else if (options.list) for (const { name } of options.rows) print(name);
  else return await runAll(options);
  return 0;
}

async function runAll({ rows, json }: Options): Promise<number> {
  const stop = new AbortController();
  let ended: (typeof STOP_SIGNALS)[number] | undefined;
  for (const name of STOP_SIGNALS)
    process.on(name, () => {
      if (ended) return;
      ended = name;
      progress(`${name}: clearing away …`);
      stop.abort(new Error(`ended by ${name}`));
    });
  const results: Result[] = [];
  await using scratch = await scratchFolder(join(tmpdir(), 'media-matrix-'));
  try {
    await ensure(['ffmpeg'], progress);
    const dataDir = join(scratch.path, 'servers');
    await using servers = await startServers({
      dataDir,
      only: ['mongo', 'kafka', 's3'],
      log: progress,
      signal: stop.signal,
    });
    Object.assign(process.env, servers.env, { SPEECH_BASE_URL: 'set by the pipeline' });
    await using pipeline = await startPipeline(scratch.path, stop.signal);
    const place = { pipeline, cache: CACHE, dir: scratch.path, signal: stop.signal };
    for (const [at, row] of rows.entries()) {
      if (stop.signal.aborted) break;
      const result = await runRow(row, place);
      if (stop.signal.aborted) break;
      results.push(result);
      progress(`${at + 1}/${rows.length} ${lineOf(result)}`);
    }
  } catch (error) {
    if (!ended) throw error;
  }
  print(json ? JSON.stringify(results, undefined, 2) : tableOf(results));
  if (json) progress(totalOf(results));
  if (ended) progress(`Ended by ${ended} after ${results.length} of ${rows.length} rows.`);
  return ended ? 128 + constants.signals[ended] : Number(results.some(({ surprises }) => surprises.length > 0));
}

function lineOf({ row, verdict, reason, surprises, seconds }: Result): string {
  const mark = surprises.length === 0 ? '✔' : '✖';
  return [`${mark} ${row.name}: ${verdict} (${seconds} s)`, reason, ...surprises].filter(Boolean).join('\n    ');
}

try {
  process.exitCode = await main();
} catch (error) {
  reportFailure(error);
}
// Everything is closed by now.
process.exit();
