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

Makes clips of many kinds, takes each through the real services of media and transcription, and compares what was made of it with the
clip by decoding both. Prints a table; ends with a status other than 0 when a row is not as expected. Takes about fifteen minutes.

  --only TEXT         only rows with this text in their name; may be repeated
  --list              the rows' names
  --json              the results as JSON in place of the table
  --help              this text

The verdict is "equal" where the stored video took the upload's place, "kept" where the upload stays the video, and "refused" where
the contributor gets the reason as a sentence. Clips are kept in the system's folder for temporary files for the next run.

Variables: MONGO_URL, KAFKA_BROKERS and S3_… name servers that already run; those are not started then.
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
