import type { Static } from 'typebox';
import { projectPath, ToolError } from '../rest.ts';
import { flag, id, input, oneOf, optional, output, string, tool } from '../tool.ts';

const FORMATS = {
  csv: { path: 'export.csv', type: 'text/csv', filtered: false },
  json: { path: 'export.json', type: 'application/json', filtered: false },
  zip: { path: 'export/project.zip', type: 'application/zip', filtered: true },
  'transcripts.txt': { path: 'export/transcripts.txt', type: 'text/plain', filtered: true },
  'transcripts.zip': { path: 'export/transcripts.zip', type: 'application/zip', filtered: true },
} as const;

const args = input({
  projectId: id(),
  format: oneOf(Object.keys(FORMATS) as (keyof typeof FORMATS)[], 'zip has the videos'),
  selected: optional(flag('Only these clips; not for csv and json')),
  withoutPeople: optional(flag('Leave out names and metadata')),
});

export const exportUrl = tool({
  name: 'export_url',
  title: 'Address of an export',
  scope: 'submissions:read',
  description: 'The address of a whole project as a file. Download it with a program, with your bearer token.',
  input: args,
  output: output({ url: string, mediaType: string, hasClips: flag(), howTo: string }),
  async run({ projectId, format, selected, withoutPeople }: Static<typeof args>, { rest, host }) {
    const { path, type, filtered } = FORMATS[format];
    if (!filtered && selected !== undefined)
      throw new ToolError(`selected does not filter ${format}: leave it out.`, {
        code: 'value_invalid',
      });
    // This request fails with the same 403 or 404 as the export, but does not make the export.
    const query = { selected, limit: 1, omit: 'transcripts' };
    const { submissions } = await rest.get(projectPath(projectId, 'submissions'), query);
    const url = new URL(`${host.baseUrl}${projectPath(projectId, ...path.split('/'))}`);
    for (const [name, value] of Object.entries({ selected, identities: withoutPeople ? 'none' : undefined }))
      if (value !== undefined) url.searchParams.set(name, String(value));
    return {
      url: url.href,
      mediaType: type,
      hasClips: submissions.length > 0,
      howTo: `curl -fOJ -H "Authorization: Bearer $TOKEN" '${url.href}'`,
    };
  },
});
