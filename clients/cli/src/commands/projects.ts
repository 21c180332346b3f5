import type { api } from '@recording-request/client';
import { command, wholeNumber } from '../command.ts';
import { EXIT, Failure, UsageFailure } from '../failures.ts';
import { linkTable, plain, plural, sizeText, table } from '../output.ts';
import { ask } from '../prompt.ts';
import { projectIdOf } from '../resolve.ts';
import { settingsOf } from '../settings.ts';
import { pause } from '../wait.ts';

const SETTINGS = {
  set: { type: 'list', value: 'NAME=VALUE', help: 'sets a setting, such as maxDurationSec=60; may be repeated' },
  settings: { type: 'text', value: 'FILE', help: 'reads settings from a JSON file; - reads stdin' },
} as const;
const SETTINGS_NOTE = `The settings have the names of the API: /api/docs of your service lists them. A VALUE is JSON, or else a text. Put a
webhookSecret into FILE: other users of this computer can see arguments.`;
const ALL_LISTED = 10_000;
const POLL_MS = 1_000;

const create = command({
  name: 'projects create',
  summary: 'Creates a project and prints its links.',
  args: ['NAME'],
  flags: {
    count: { type: 'text', value: 'N', help: 'makes N links, each for one person; 1 by default' },
    shared: { type: 'text', value: 'USES', help: 'also makes a shared link with so many uses' },
    transcripts: { type: 'switch', help: 'makes transcripts' },
    sandbox: { type: 'switch', help: 'makes a project for tests, which is erased after a day' },
    ...SETTINGS,
  },
  notes: SETTINGS_NOTE,
  async run({ args, flags }, { out, signal, client }) {
    const uses = wholeNumber('shared', flags.shared, 1);
    const body = {
      count: wholeNumber('count', flags.count, 1) ?? 1,
      ...(uses !== undefined && { sharedLinkEnabled: true, sharedLinkMaxUses: uses }),
      ...(flags.transcripts && { transcriptionEnabled: true }),
      ...(flags.sandbox && { sandbox: true }),
      ...(await settingsOf(flags, signal)),
      projectName: args[0]!,
    };
    const created = await (await client()).projects.create(body as api.CreateProjectData['body'], { signal });
    const links = created.recipientUrls.map(({ recipientUrl, recipient }) => [
      recipient?.name ?? 'for one person',
      recipientUrl,
    ]);
    out.result(created, [
      `Created ${out.colour('bold', plain(created.projectName))}: ${created.projectId}`,
      `dashboard    ${created.dashboardUrl}  (private, shown only now)`,
      ...(created.sharedLink ? [`shared link  ${created.sharedLink.recipientUrl}`] : []),
      ...linkTable(['person', 'link'], links.slice(0, 20)),
      ...(links.length > 20 ? [`… and ${links.length - 20} more: use --json`] : []),
    ]);
  },
});

const list = command({
  name: 'projects list',
  summary: 'Lists the projects, newest first.',
  args: ['[WORDS]'],
  flags: { limit: { type: 'text', value: 'N', help: 'lists at most N projects; all by default' } },
  notes: 'With WORDS, lists the projects with these words in the name.',
  async run({ args, flags }, { out, signal, client }) {
    const limit = wholeNumber('limit', flags.limit, 1) ?? ALL_LISTED;
    const query = { ...(args[0] && { q: args[0] }), ...(limit < 100 && { limit }) };
    const projects = await (await client()).projects.list(query, { signal }).all(limit);
    const rows = projects.map(({ projectId, projectName, createdAt, stats, sandbox }) => {
      const sent = `${stats.videosCreated}`;
      return [projectId, createdAt.slice(0, 10), sent, `${projectName}${sandbox ? ' (sandbox)' : ''}`];
    });
    out.result({ projects }, rows.length === 0 ? 'No projects.' : table(['project', 'created', 'clips', 'name'], rows));
  },
});

const linesOf = (project: api.ProjectDetail): string[] =>
  Object.entries(project).flatMap(([name, value]) => {
    if (value === '' || value === null || (Array.isArray(value) && value.length === 0)) return [];
    if (name === 'stats') return Object.entries(project.stats).map(([stat, count]) => `${stat.padEnd(24)}${count}`);
    const shown = typeof value === 'object' ? JSON.stringify(value) : String(value);
    return [`${name.padEnd(24)}${plain(shown)}`];
  });

const show = command({
  name: 'projects show',
  summary: 'Prints the settings and the figures of a project.',
  args: ['PROJECT'],
  flags: {},
  notes: 'PROJECT is the id of a project, or its exact name.',
  async run({ args }, { out, signal, client }) {
    const service = await client();
    const project = await service.projects.get(await projectIdOf(service, args[0]!, signal), { signal });
    out.result(project, linesOf(project));
  },
});

const update = command({
  name: 'projects update',
  summary: 'Changes settings of a project.',
  args: ['PROJECT'],
  flags: { name: { type: 'text', value: 'NAME', help: 'renames the project' }, ...SETTINGS },
  notes: SETTINGS_NOTE,
  async run({ args, flags }, { out, signal, client }) {
    const changes = {
      ...(await settingsOf(flags, signal)),
      ...(flags.name !== undefined && { projectName: flags.name }),
    };
    const names = Object.keys(changes);
    if (names.length === 0)
      throw new UsageFailure('Say what to change: --set NAME=VALUE, --settings FILE or --name NAME.');
    const service = await client();
    const projectId = await projectIdOf(service, args[0]!, signal);
    const project = await service.projects.update(projectId, changes as api.UpdateProjectData['body'], { signal });
    out.result(project, `Changed ${names.join(', ')} of ${plain(project.projectName)}.`);
  },
});

const close = command({
  name: 'projects close',
  summary: 'Ends new responses; those that have begun may finish.',
  args: ['PROJECT'],
  flags: { reopen: { type: 'switch', help: 'instead accepts new responses again' } },
  async run({ args, flags }, { out, signal, client }) {
    const service = await client();
    const projectId = await projectIdOf(service, args[0]!, signal);
    const project = await service.projects[flags.reopen ? 'reopen' : 'close'](projectId, { signal });
    out.result(project, `${flags.reopen ? 'Reopened' : 'Closed'} ${plain(project.projectName)}.`);
  },
});

const erase = command({
  name: 'projects erase',
  summary: 'Erases a project for good, after it has shown the data and asked.',
  args: ['PROJECT'],
  flags: {
    'dry-run': { type: 'switch', help: 'only shows the data that would be erased' },
    yes: { type: 'switch', help: 'does not ask' },
  },
  async run({ args, flags }, { out, signal, client }) {
    const service = await client();
    const projectId = await projectIdOf(service, args[0]!, signal);
    const { projectName } = await service.projects.get(projectId, { signal });
    const proposal = await service.projects.erase(projectId, {}, { signal });
    if (proposal.state === 'proposed') {
      const lines = countsOf(proposal);
      if (flags['dry-run']) {
        out.result(proposal, [`${plain(projectName)} has:`, ...lines]);
        return 0;
      }
      for (const line of [`${plain(projectName)} has:`, ...lines]) out.note(line);
      if (!flags.yes) await confirmByName(projectName, signal);
      await service.projects.erase(projectId, { confirm: proposal.confirm! }, { signal });
    }
    const progress = out.progress();
    let erasure = await service.projects.erasure(projectId, { signal });
    for (; erasure.state === 'erasing'; erasure = await service.projects.erasure(projectId, { signal })) {
      progress.show(`Erasing … ${plural(erasure.counts.submissions, 'clip')} gone. It continues if you stop waiting.`);
      await pause(POLL_MS, signal);
    }
    progress.end();
    out.result(erasure, [
      `Erased ${plain(projectName)} at ${erasure.erasedAt}.`,
      ...countsOf(erasure),
      `Proof: a new count of all stores finds ${erasure.left} of it.`,
      ...(erasure.recordsEndAt ? [`The queue deletes its last record by ${erasure.recordsEndAt}.`] : []),
    ]);
    return erasure.left === 0 ? 0 : EXIT.failure;
  },
});

async function confirmByName(projectName: string, signal: AbortSignal): Promise<void> {
  if (!process.stdin.isTTY) throw new UsageFailure('Nothing was erased: there is no terminal to ask. Add --yes.');
  const typed = await ask('Nothing brings it back. Type the name of the project to erase it: ', signal);
  if (typed !== projectName.trim()) throw new Failure(EXIT.failure, 'Nothing was erased: this is another name.');
}

function countsOf({ counts }: api.Erasure): string[] {
  const { objectBytes, objects, ...rest } = counts;
  const rows: [string, string][] = [
    ...Object.entries(rest).flatMap(([name, count]): [string, string][] => (count ? [[name, String(count)]] : [])),
    ['files', `${objects ?? 'some'} (${sizeText(objectBytes)})`],
  ];
  return rows.map(([name, count]) => `  ${name.padEnd(20)}${count}`);
}

export const projects = [create, list, show, update, close, erase];
