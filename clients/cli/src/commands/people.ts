import { createHash } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { ConflictError, InvalidRequestError, type LinksChecked } from '@recording-request/client';
import { command } from '../command.ts';
import { missing as absent, replaceFile } from '../config.ts';
import { linksTable } from '../csv.ts';
import { EXIT, Failure } from '../failures.ts';
import { linkTable, plain, plural } from '../output.ts';
import { projectIdOf } from '../resolve.ts';

const MOST_FAULTS = 50;

export const invite = command({
  name: 'invite',
  summary: 'Makes a link for each person of a table, and writes the links to links.csv.',
  args: ['PROJECT', 'PEOPLE.csv'],
  flags: {
    'dry-run': { type: 'switch', help: 'only checks the table' },
    'skip-duplicates': { type: 'switch', help: 'leaves out people who have a link already' },
    out: { type: 'text', value: 'FILE', help: 'writes another file than links.csv' },
    force: { type: 'switch', help: 'replaces the file if it exists' },
  },
  notes: `The columns are name, reference, email, locale, dueAt, timeFactor, and meta.… for your own texts. All people are added, or none.
The same table again within 24 hours gives the same links, so that you can repeat a command that was interrupted.`,
  async run({ args: [project, path], flags }, { out, signal, client }) {
    const file = flags.out ?? 'links.csv';
    const csv = decode(await readFile(path!, { signal }));
    const isDry = flags['dry-run'];
    const onDuplicate = flags['skip-duplicates'] ? ('skip' as const) : ('error' as const);
    if (!isDry && !flags.force && (await access(file).then(() => true, absent)))
      throw new Failure(EXIT.local, `${file} exists already. Choose another file with --out, or add --force.`);
    const service = await client();
    const projectId = await projectIdOf(service, project!, signal);
    const check = () => service.links.check(projectId, csv, { onDuplicate }, { signal });
    if (isDry) {
      const checked = await check();
      refuseFaults(checked, path!, onDuplicate);
      const count = checked.valid - checked.duplicates.length;
      const left = checked.allowanceAfter;
      if (left !== null && left < 0)
        throw new Failure(EXIT.access, `Your allowance lacks ${plural(-left, 'video')} for these people.`);
      const skipped = checked.duplicates.length > 0 ? `, and ${checked.duplicates.length} have a link already` : '';
      out.result(checked, [
        `${plural(count, 'person').replace('persons', 'people')} would get a link${skipped}.`,
        ...(left === null ? [] : [`${plural(left, 'video')} of your allowance would remain.`]),
      ]);
      return;
    }
    // The same table has the same key, so that a repeated command gets the links of the first one.
    const idempotencyKey = createHash('sha256').update(`${projectId}\n${onDuplicate}\n${csv}`).digest('base64url');
    const added = await service.links
      .add(projectId, csv, { onDuplicate }, { signal, idempotencyKey })
      .catch(async (error: unknown) => {
        const isFault = error instanceof InvalidRequestError || error instanceof ConflictError;
        if (isFault) refuseFaults(await check(), path!, onDuplicate);
        throw error;
      });
    const isEmpty = added.links.length === 0;
    // An empty table must not replace the links of an earlier command.
    if (!isEmpty) await replaceFile(file, linksTable(added.links), 0o600);
    const skipped = added.skipped.length > 0 ? ` Left out ${added.skipped.length} who have a link already.` : '';
    out.result(
      { projectId, created: added.created, skipped: added.skipped, file: isEmpty ? null : file, links: added.links },
      isEmpty
        ? `Made no link and wrote no file.${skipped}`
        : `Made ${plural(added.created, 'link')} and wrote ${file}.${skipped}`,
    );
  },
});

/** Throws an error that lists the invalid rows and, unless they are skipped, the duplicates, with their lines. */
function refuseFaults({ invalid, duplicates }: LinksChecked, path: string, onDuplicate: 'skip' | 'error'): void {
  const rows = [
    ...invalid.map(({ line, field, reason }) => ({ line, text: `${field ? `${field}: ` : ''}${plain(reason)}` })),
    ...(onDuplicate === 'skip' ? [] : duplicates.map(({ line }) => ({ line, text: 'this person has a link already' }))),
  ].sort((a, b) => a.line - b.line);
  if (rows.length === 0) return;
  const details = rows.slice(0, MOST_FAULTS).map(({ line, text }) => `${basename(path)}:${line}: ${text}`);
  if (rows.length > MOST_FAULTS) details.push(`… and ${rows.length - MOST_FAULTS} more`);
  const hint = invalid.length === 0 ? ' --skip-duplicates leaves them out.' : '';
  throw new Failure(
    EXIT.invalid,
    `Nobody was added: ${plural(rows.length, 'row')} of ${path} cannot be used.${hint}`,
    details,
  );
}

/** Returns the text of a table in UTF-8 or UTF-16, as spreadsheets save it. */
function decode(bytes: Buffer): string {
  const mark = bytes.subarray(0, 2).toString('latin1');
  if (mark === '\xff\xfe') return new TextDecoder('utf-16le').decode(bytes);
  if (mark === '\xfe\xff') return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Failure(EXIT.invalid, 'The table is not UTF-8. In Excel, save it as “CSV UTF-8”.');
  }
}

const MISSING = ['invited', 'opened', 'recording'];

export const missing = command({
  name: 'missing',
  summary: 'Lists the people who have not answered.',
  args: ['PROJECT'],
  flags: {},
  notes: `A person has opened the link, or is recording, or was invited and did nothing yet. If any link of the project has a
person, links without one are only counted.`,
  async run({ args }, { out, signal, client }) {
    const service = await client();
    const projectId = await projectIdOf(service, args[0]!, signal);
    const open = [];
    let hasPeople = false;
    for await (const link of service.links.list(projectId, { limit: 100 }, { signal })) {
      if (link.recipient) hasPeople = true;
      if (MISSING.includes(link.state ?? '')) open.push(link);
    }
    const people = hasPeople ? open.filter(({ recipient }) => recipient) : open;
    const nameless = open.length - people.length;
    const rows = people.map(({ recipient, state, dueAt, remindersSent, answersSent, questionCount, recipientUrl }) => {
      const answers = state === 'recording' && questionCount ? ` ${answersSent}/${questionCount}` : '';
      const due = dueAt && `${dueAt.slice(0, 16).replace('T', ' ')} UTC`;
      return [
        recipient?.name ?? recipient?.email,
        recipient?.reference,
        `${state}${answers}`,
        due,
        remindersSent,
        recipientUrl,
      ];
    });
    const head = ['person', 'reference', 'state', 'due', 'reminders', 'link'];
    const lines = rows.length === 0 ? 'Everybody has answered.' : linkTable(head, rows);
    out.result({ projectId, people, withoutPerson: nameless }, lines);
    if (nameless > 0) out.note(`${plural(nameless, 'open link')} without a person.`);
  },
});
