import { flag, input, integer, list, optional, output, paging, string, text, tool, untrusted } from '../tool.ts';
import { shown } from '../untrusted.ts';

const NAME_MAX = 200;

export const listProjects = tool({
  name: 'list_projects',
  title: 'List projects',
  scope: 'projects:read',
  description: 'Your projects, newest first, with counts of clips and links.',
  input: input({ search: optional(text(200, 'Words in the name')), ...paging(50, 20) }),
  output: output({
    projects: list(
      output({
        projectId: string,
        createdAt: string,
        expiresAt: string,
        clips: integer,
        transcripts: integer,
        links: integer,
        responsesLeft: integer,
        sandbox: flag(),
        untrusted,
      }),
    ),
    nextCursor: string,
  }),
  async run({ search, limit = 20, cursor }, { rest }) {
    const { projects, pagination } = await rest.get('/api/projects', { q: search, limit, cursor });
    return {
      // biome-ignore lint/suspicious/noExplicitAny: a project of the REST API.
      projects: projects.map(({ projectId, projectName, createdAt, expiresAt, sandbox, stats }: any) => ({
        ...{ projectId, createdAt, expiresAt, sandbox },
        clips: stats.videosCreated,
        transcripts: stats.transcriptCompleted,
        links: stats.uniqueLinksTotal + stats.sharedLinksTotal,
        responsesLeft: stats.responseSlotsRemaining,
        untrusted: { name: shown(projectName, NAME_MAX) },
      })),
      nextCursor: pagination?.nextCursor ?? null,
    };
  },
});
