import { join } from 'node:path';
import { print, progress, runCommand } from '@recording-request/harness/command';
import { openScratch } from '@recording-request/harness/scratch';
import { ensure } from '@recording-request/stack/install/ensure';
import { startServers } from '@recording-request/stack/servers';
import { CACHE } from './clip/make-clip.ts';
import { HELP, type Options, parseOptions } from './options.ts';
import { allRows } from './rows/all.ts';
import { startPipeline } from './run/pipeline.ts';
import { type Result, runRow } from './run/run-row.ts';
import { matrixTable, totalOf } from './table.ts';

await runCommand({ help: HELP, parse: args => parseOptions(args, allRows), run: runAll });

async function runAll({ rows, json, list }: Options, signal: AbortSignal): Promise<number> {
  if (list) {
    for (const { name } of rows) print(name);
    return 0;
  }
  const results: Result[] = [];
  await using scratch = await openScratch('matrix');
  try {
    await ensure(['ffmpeg'], progress);
    const dataDir = join(scratch.path, 'servers');
    await using servers = await startServers({ dataDir, only: ['mongo', 'kafka', 's3'], log: progress, signal });
    Object.assign(process.env, servers.env, { SPEECH_BASE_URL: 'set by the pipeline' });
    await using pipeline = await startPipeline(scratch.path, signal);
    const place = { pipeline, cache: CACHE, dir: scratch.path, signal };
    for (const [at, row] of rows.entries()) {
      const result = await runRow(row, place);
      signal.throwIfAborted();
      results.push(result);
      progress(`${at + 1}/${rows.length} ${lineOf(result)}`);
    }
  } finally {
    print(json ? JSON.stringify(results, undefined, 2) : matrixTable(results));
    if (json) progress(totalOf(results));
    if (results.length < rows.length) progress(`Ended after ${results.length} of ${rows.length} rows.`);
  }
  return Number(results.some(({ mismatches }) => mismatches.length > 0));
}

function lineOf({ row, verdict, reason, mismatches, seconds }: Result): string {
  const mark = mismatches.length === 0 ? '✔' : '✖';
  return [`${mark} ${row.name}: ${verdict} (${seconds} s)`, reason, ...mismatches].filter(Boolean).join('\n    ');
}
