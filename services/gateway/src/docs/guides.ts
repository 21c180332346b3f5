import type { Config } from '../config.ts';
import { agents } from './agents.ts';
import { FIVE_MINUTES } from './five-minutes.ts';
import { markdown } from './markdown.ts';
import { MIRROR } from './mirroring.ts';
import { PEOPLE } from './people.ts';
import { WEBHOOKS } from './receiving-webhooks.ts';
import { recorderDocs } from './recorder-page.ts';
import type { Page } from './render-page.ts';

/** A page of its own about one task, at `/api/docs/<name>`, and as Markdown at `/api/docs/<name>.md`. */
export interface Guide {
  name: string;
  title: string;
  /** The task, as part of a sentence. */
  summary: string;
  /** Returns the Markdown without the links at its top. */
  text(baseUrl: string): string;
}

/** Every guide, in the order in which every list shows them. */
const GUIDES: readonly Guide[] = [
  {
    name: 'start',
    title: 'Five minutes to your first clip',
    summary: 'create a project, record, and save the clip on your disk',
    text: () => FIVE_MINUTES,
  },
  {
    name: 'webhooks',
    title: 'Receive webhooks',
    summary: 'get events at your endpoint or on your laptop, and verify them',
    text: () => WEBHOOKS,
  },
  {
    name: 'people',
    title: 'People and reminders',
    summary: 'invite people from a table, see who is missing, and remind them',
    text: () => PEOPLE,
  },
  {
    name: 'mirror',
    title: 'Mirror everything to your bucket',
    summary: 'keep a copy of every clip in your own S3 bucket',
    text: () => MIRROR,
  },
  {
    name: 'recorder',
    title: 'Build your own recorder',
    summary: 'record through a link with your own client',
    text: recorderDocs,
  },
  { name: 'agents', title: 'Agents', summary: 'let an agent work in your projects, by MCP', text: agents },
];

/** Returns the guides of a deployment. Without MCP, there is no guide about agents. */
export const guidesOf = ({ mcp }: Pick<Config, 'mcp'>): Guide[] =>
  GUIDES.filter(({ name }) => name !== 'agents' || mcp === 'on');

/** Returns a guide as Markdown. Its first line leads to the other documents. */
export function guideText(guide: Guide, guides: readonly Guide[], baseUrl: string): string {
  const others = guides.filter(other => other !== guide).map(({ name, title }) => `[${title}](/api/docs/${name})`);
  const links = ['[The whole interface](/api/docs)', ...others].join(' · ');
  // The commands and programs contain https://record.example in place of this deployment's address.
  return `${links}\n\n${guide.text(baseUrl)}`.replaceAll('https://record.example', baseUrl);
}

/** Returns a guide as a page. */
export const guidePage = (guide: Guide, guides: readonly Guide[], baseUrl: string): Page => ({
  title: guide.title,
  body: markdown(guideText(guide, guides, baseUrl)),
});

/** Returns GET /llms.txt: where a language model finds the documents. https://llmstxt.org */
export const llmsTxt = (baseUrl: string, guides: readonly Guide[]): string => `# Recording Request

> Collects video clips from people: a project has recording links; each clip gets a playable video, thumbnails, sound and a transcript.
> Owners use a REST API with a bearer token.

## Guides

${guides.map(({ name, title, summary }) => `- [${title}](${baseUrl}/api/docs/${name}.md): ${summary}`).join('\n')}

## Reference

- [The API in prose](${baseUrl}/api/docs.md): every route, with commands to paste
- [openapi.json](${baseUrl}/api/openapi.json): the API for programs, OpenAPI 3.1
${guides.some(({ name }) => name === 'agents') ? `- [MCP server](${baseUrl}/mcp): \`POST\`, streamable HTTP, with an API token of an owner; see the guide about agents\n` : ''}`;
