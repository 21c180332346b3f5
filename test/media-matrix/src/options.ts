import { FLAG, parseFlags, TEXT } from '@recording-request/harness/options';
import { UsageError } from '@recording-request/kit/command-line';
import type { Row } from './rows/row.ts';

export interface Options {
  rows: Row[];
  list: boolean;
  json: boolean;
  help: boolean;
}

export const HELP = `npm run media-matrix [-- options]

Makes clips of many kinds, sends each through the real media and transcription services, decodes the results and compares them
with the clip. Prints a table; exits with a status other than 0 when a row is not as expected. Takes about fifteen minutes.

  --only TEXT         only rows with this text in their name; may be repeated
  --list              the rows' names
  --json              print the results as JSON instead of a table
  --help              this text

The verdict is "equal" if the stored video replaced the upload, "kept" if the upload stays the video, and "refused" if the
contributor gets a reason. The clips stay in the system's folder for temporary files for the next run.

The variables MONGO_URL, KAFKA_BROKERS and S3_… name running servers; the command then does not start its own.
`;

/** Parses the command line. Throws UsageError. */
export function parseOptions(args: string[], allRows: () => Row[]): Options {
  const { only, list, json, help } = parseFlags(args, { only: { ...TEXT, multiple: true }, list: FLAG, json: FLAG });
  return { rows: help ? [] : chosen(only, allRows()), list, json, help };
}

function chosen(texts: string[] | undefined, rows: Row[]): Row[] {
  if (texts === undefined) return rows;
  const found = rows.filter(({ name }) => texts.some(text => name.includes(text)));
  if (found.length === 0) throw new UsageError(`No row has ${texts.join(' or ')} in its name: see --list.`);
  return found;
}
