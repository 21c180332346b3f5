import { ToolError } from '../rest.ts';
import { flag, input, integer, list, optional, output, string, text, tool, whole } from '../tool.ts';
import { confirmField, inTwoCalls, outcomeFields } from '../write.ts';

const LINKS_MAX = 50;

export const createProject = tool({
  name: 'create_project',
  title: 'Create a project',
  scope: 'projects:write',
  description:
    'Creates a project with recording links. The first call is a dry run; show its meaning to your user before the second.',
  writes: true,
  input: input({
    projectName: Object.assign(text(200), { minLength: 1 }),
    links: optional(whole(1, LINKS_MAX, 'Links for one person each, without a name; default 1. invite adds people')),
    sharedLinkUses: optional(whole(1, 1_000_000, 'Also make one link for so many responses')),
    questions: optional(list(Object.assign(text(500), { minLength: 1 }), { maxItems: 50 })),
    maxDurationSec: optional(whole(1, 600, 'Longest clip; default 120, in a sandbox 15')),
    transcription: optional(flag('default true')),
    language: optional(text(10, 'ISO 639-1 code that contributors speak; absent: detected')),
    noteEnabled: optional(flag('Let contributors write a note')),
    expiresInDays: optional(whole(1, 3_650)),
    sandbox: optional(flag('A test project, erased after a day')),
    ...confirmField,
  }),
  output: output({
    ...outcomeFields,
    projectId: string,
    recordingLinks: list(string),
    sharedLink: string,
    remainingVideos: integer,
  }),
  run: (args, call) =>
    inTwoCalls(call, 'create_project', args, {
      async check() {
        const { links = 1, sharedLinkUses = 0, sandbox = false } = args;
        const known = await account(call.rest);
        if (known && !known.scopes.includes('projects:write'))
          throw new ToolError('The token lacks the scope projects:write.', { status: 403, code: 'scope_missing' });
        const left = known?.remainingVideos ?? null;
        const isTooMuch = !sandbox && left !== null && links + sharedLinkUses > left;
        return {
          ...(isTooMuch && {
            fault: `The allowance has ${left} responses left, and this project needs ${links + sharedLinkUses}.`,
          }),
          result: { projectId: null, recordingLinks: [], sharedLink: null, remainingVideos: left },
        };
      },
      async write(idempotencyKey) {
        const { projectName, links = 1, sharedLinkUses, questions, maxDurationSec, transcription = true } = args;
        const { language, noteEnabled, expiresInDays, sandbox } = args;
        const body = {
          ...{ projectName, count: links, interviewQuestions: questions, maxDurationSec },
          ...{
            transcriptionEnabled: transcription,
            transcriptionLanguage: language,
            noteEnabled,
            expiresInDays,
            sandbox,
          },
          ...(sharedLinkUses !== undefined && { sharedLinkEnabled: true, sharedLinkMaxUses: sharedLinkUses }),
        };
        const made = await call.rest.post('/api/projects', body, { idempotencyKey });
        // Omits the dashboard's address, which would open the project to anybody who reads this conversation.
        return {
          projectId: made.projectId,
          recordingLinks: made.recipientUrls.map(({ recipientUrl }: { recipientUrl: string }) => recipientUrl),
          sharedLink: made.sharedLink?.recipientUrl ?? null,
          remainingVideos: made.apiUser.remainingVideos,
        };
      },
    }),
});

interface Account {
  scopes: string[];
  remainingVideos: number | null;
}

/** Returns the account; undefined for a token that may not read it. Such a token may still make a dry run. */
async function account(rest: { get(path: string): Promise<Account> }): Promise<Account | undefined> {
  try {
    return await rest.get('/api/me');
  } catch (error) {
    if (error instanceof ToolError && error.about.status === 403) return undefined;
    throw error;
  }
}
