import { join, resolve } from 'node:path';
import { ApiError, ConnectionError, DownloadError, UnexpectedAnswerError } from '@recording-request/client';
import { command, wholeNumber } from '../command.ts';
import { clientOf, credentials } from '../config.ts';
import { reportOf } from '../failures.ts';
import { lock } from '../lock.ts';
import { plural, sizeText } from '../output.ts';
import type { Mirror } from '../pull/clip.ts';
import { checkOwnFolder, makeOwnFolder } from '../pull/files.ts';
import { Journal } from '../pull/journal.ts';
import { GROUPS, type Group, OWN_FOLDER } from '../pull/layout.ts';
import { type PullResult, pass } from '../pull/mirror.ts';
import { projectIdOf } from '../resolve.ts';
import { pause } from '../wait.ts';

const INTERVAL_S = 10;
const MOST_INTERVAL_S = 86_400;

export const pull = command({
  name: 'pull',
  summary: 'Mirrors the clips, transcripts and table of a project into a folder.',
  args: ['PROJECT', 'DIR'],
  flags: {
    watch: { type: 'switch', help: 'goes on, and follows changes until Ctrl-C' },
    interval: {
      type: 'text',
      value: 'SECONDS',
      help: `looks for changes so often with --watch; ${INTERVAL_S} by default, at most ${MOST_INTERVAL_S}`,
    },
    by: { type: 'text', choices: GROUPS, help: 'makes a folder for each reference, question or day' },
    'keep-erased': { type: 'switch', help: 'keeps the files of clips that were erased' },
    verify: { type: 'switch', help: 'also compares the bytes of files that seem unchanged' },
  },
  notes: `Fetches only what is new or changed, continues interrupted files, and checks the SHA-256 of each clip. Files get their name
when they are complete. Clips that were erased on the server are removed here, too. Files that you change are replaced;
your own files stay. DIR/.rr has the records of the mirror: without it, the next run compares all files again.`,
  async run({ args: [project, dir], flags }, { out, signal, env }) {
    const seconds = wholeNumber('interval', flags.interval, 1, MOST_INTERVAL_S) ?? INTERVAL_S;
    const { baseUrl, token } = await credentials(env);
    const client = clientOf(baseUrl, token);
    const projectId = await projectIdOf(client, project!, signal);
    const folder = resolve(dir!);
    await makeOwnFolder(folder);
    const held = await lock(join(folder, OWN_FOLDER, 'lock'), `the folder ${folder}`);
    const progress = out.progress();
    try {
      await checkOwnFolder(folder);
      const journal = await Journal.open(join(folder, OWN_FOLDER), { baseUrl: baseUrl.replace(/\/+$/, ''), projectId });
      if (journal.ignored > 0)
        out.note(
          `Ignored ${plural(journal.ignored, 'damaged record')} of ${folder}. Their clips are compared with the server again; files of erased clips among them stay.`,
        );
      try {
        const mirror: Mirror = {
          ...{ client, projectId, folder, journal, parts: `${OWN_FOLDER}/parts` },
          ...{ group: flags.by as Group | undefined, isDeep: flags.verify, onBytes() {} },
        };
        const options = { signal, keepErased: flags['keep-erased'], onProgress: progress.show };
        const report = (result: PullResult) => out.result(result, sentenceOf(result, folder, flags['keep-erased']));
        if (!flags.watch) return report(await pass(mirror, options));
        for (let isFirst = true; ; ) {
          try {
            const result = await pass(mirror, options, !isFirst);
            if (isFirst || result.changed + result.removed > 0) report(result);
            isFirst = false;
          } catch (error) {
            signal.throwIfAborted();
            if (!isOutage(error)) throw error;
            out.note(`${reportOf(error).sentence} Again in ${seconds} s.`);
          }
          await pause(seconds * 1000, signal);
        }
      } finally {
        await journal.close();
      }
    } finally {
      progress.end();
      await held.release();
    }
  },
});

const isOutage = (error: unknown): boolean =>
  (error instanceof ConnectionError && !error.isPermanent) ||
  error instanceof DownloadError ||
  error instanceof UnexpectedAnswerError ||
  (error instanceof ApiError && (error.status >= 500 || error.status === 429));

function sentenceOf({ clips, changed, removed, bytes }: PullResult, folder: string, isKept: boolean): string {
  const parts = [
    changed > 0 && `${plural(changed, 'clip')} fetched or changed (${sizeText(bytes)})`,
    removed > 0 && `${plural(removed, 'erased clip')} ${isKept ? 'kept' : 'removed'}`,
  ].filter(Boolean);
  return `${folder} has ${plural(clips, 'clip')}: ${parts.length > 0 ? parts.join(', ') : 'nothing changed'}.`;
}
