import { LIMITS } from '@recording-request/contract/limits';
import type { DashboardLinksJson, DashboardOverviewJson } from '@recording-request/contract/resources/dashboard';
import type { ProjectDetailJson } from '@recording-request/contract/resources/project';
import type { SubmissionsPageJson } from '@recording-request/contract/resources/submission';
import { type Brand, brandMark } from '@recording-request/web-shared/brand';
import { type Html, html, raw } from '@recording-request/web-shared/html';
import { clipCard } from './clip-card.ts';
import type { DashboardDocument } from './document.ts';
import { downloads, figures } from './figures.ts';
import { linkRow, sharedLink } from './link-list.ts';
import { personItem, personsOf } from './person.ts';
import { wordsOf } from './search.ts';
import { emptyText, isNarrowed, type Query, queryString } from './settings.ts';
import { toHtml } from './tree-html.ts';
import type { Clip } from './words.ts';

export interface DashboardView {
  overview: DashboardOverviewJson;
  links: DashboardLinksJson;
  page: SubmissionsPageJson;
  query: Query;
  /** Whether the page begins with an older clip than the newest. */
  older: boolean;
  /** The dashboard token that the page was opened with. */
  token: string;
  brand: Brand;
}

/** The private page of a project. It can be read at once; the script makes it play, follow and refresh. */
export function dashboardPage({ overview, links, page, query, older, token, brand }: DashboardView): DashboardDocument {
  const here = `/project/${encodeURIComponent(token)}`;
  const { project } = overview;
  const submissions = page.submissions.map(({ transcriptVtt: _, ...clip }): Clip => clip);
  return {
    title: `${project.projectName} – dashboard`,
    settings: { overview, page: { submissions, pagination: page.pagination }, query, older },
    body: html`<a class="skip" href="#clips">Skip to the clips</a>
${header(project, brand)}
<main>
<div id="banner" class="warning banner" role="alert" hidden></div>
<dl id="figures" class="figures" aria-label="At a glance">${toHtml(figures(overview))}</dl>
<nav class="sections" aria-label="Sections"><a href="#clips">Clips</a><a href="#links">Links</a><a href="#downloads">Downloads</a></nav>
${clipsSection({ submissions, here, query, project, older, nextCursor: page.pagination.nextCursor })}
${linksSection(links, here)}
<section id="downloads" tabindex="-1" aria-labelledby="downloads-title"><h2 id="downloads-title">Downloads</h2>
<ul id="download-list" class="downloads">${toHtml(downloads(overview, here))}</ul>
<p class="hint">Your browser keeps the files and shows how far they are. A ZIP is made while it is sent: its size is an estimate, and
it can be as large as it needs to be. One clip alone can be saved where it plays.</p></section>
</main>
<p id="announcer" class="hidden-text" role="status" aria-live="polite"></p>`,
  };
}

function brandRow(brand: Brand): Html | null {
  const mark = brandMark(brand);
  return mark && html`<div class="brand-row">${mark}</div>`;
}

const header = ({ projectName }: ProjectDetailJson, brand: Brand): Html => html`<header class="top">${brandRow(brand)}
<div class="title"><h1 dir="auto">${projectName}</h1><p id="fresh" class="fresh"><noscript>Reload the page to see what came in since.</noscript></p></div>
<button id="review" class="needs-script" type="button">Review clips</button>
</header>`;

interface ClipsView {
  submissions: Clip[];
  here: string;
  query: Query;
  project: ProjectDetailJson;
  older: boolean;
  nextCursor: string | null;
}

function clipsSection({ submissions, here, query, project, older, nextCursor }: ClipsView): Html {
  const context = { here, words: wordsOf(query.q), writes: false, script: false };
  const byPerson = project.interviewEnabled;
  const cards = (clips: Clip[]) => clips.map(clip => clipCard(clip, context));
  const items = byPerson
    ? personsOf(submissions).map(person => personItem(person, project.questionCount, cards(person.answers)))
    : cards(submissions);
  return html`<section id="clips" tabindex="-1" aria-labelledby="clips-title"><h2 id="clips-title" class="hidden-text">Clips</h2>
${filters(query, here, project)}
<p id="waiting" class="waiting" hidden><button id="show-waiting" class="primary" type="button"></button></p>
<p id="newer" class="more"${older ? null : raw(' hidden')}><a class="button" href="${here}${queryString(query)}">Back to the newest</a></p>
<p id="empty" class="empty"${submissions.length > 0 ? raw(' hidden') : null}>${emptyText(query)}</p>
<p id="empty-links" class="more"${submissions.length > 0 || isNarrowed(query) ? raw(' hidden') : null}><a class="button primary" href="#links">See the recording links</a></p>
<ul id="grid" class="${byPerson ? 'persons' : 'grid'}" aria-labelledby="clips-title">${toHtml(items)}</ul>
<p id="more-problem" class="warning" role="alert" hidden></p>
<p id="more" class="more"${nextCursor ? null : raw(' hidden')}><a class="button" href="${here}${queryString(query, { cursor: nextCursor ?? '' })}">Show older clips</a></p>
</section>`;
}

const STATUSES: [value: string, name: string][] = [
  ['', 'Any transcript'],
  ['completed', 'Transcript is there'],
  ['processing', 'Being made'],
  ['pending', 'Waiting'],
  ['failed', 'Failed'],
  ['disabled', 'Turned off'],
];

/** A form that works without a script too. */
function filters(query: Query, here: string, { interviewEnabled }: ProjectDetailJson): Html {
  return html`<form id="filters" class="filters" action="${here}" method="get" role="search">
<div class="search"><label class="hidden-text" for="q">Search</label>
<input id="q" name="q" type="search" maxlength="${LIMITS.searchLength}" autocomplete="off" placeholder="Search clips" value="${query.q}" aria-describedby="q-hint">
<button type="submit" class="small">Search</button></div>
<p id="q-hint" class="hint">Searches transcripts, notes and questions.</p>
<div class="choices">
<label class="choice"><input id="selected" name="selected" type="checkbox" value="true"${query.selected ? raw(' checked') : null}> Selected only</label>
<label class="hidden-text" for="transcriptStatus">Transcript</label>
<select id="transcriptStatus" name="transcriptStatus">${STATUSES.map(
    ([value, name]) =>
      html`<option value="${value}"${value === query.transcriptStatus ? raw(' selected') : null}>${name}</option>`,
  )}</select>
${interviewEnabled ? html`<label class="choice needs-script"><input id="by-person" type="checkbox" checked> By contributor</label>` : null}
<a id="clear" class="clear" href="${here}"${isNarrowed(query) ? null : raw(' hidden')}>Show all clips</a>
</div></form>`;
}

function linksSection({ sharedLink: shared, recipientUrls, pagination }: DashboardLinksJson, here: string): Html {
  return html`<section id="links" tabindex="-1" aria-labelledby="links-title"><h2 id="links-title">Links</h2>
<div id="shared" class="shared-box"${shared ? null : raw(' hidden')}>${shared ? toHtml(sharedLink(shared, here)) : null}</div>
<div class="link-head"><h3 id="personal-title">Personal links</h3>
<div class="choices needs-script"><label class="hidden-text" for="link-status">State of the links</label>
<select id="link-status"><option value="">All</option><option value="active">Open</option><option value="exhausted">Clip received</option><option value="expired">Expired</option><option value="disabled">Closed</option></select>
<button id="copy-links" type="button" class="small">Copy all of these</button></div></div>
<p class="hint">Each takes one contributor. Send every person a link of their own, and you see here who has answered.</p>
<p id="links-empty" class="empty" hidden>No personal link is in this state.</p>
<table class="links" aria-labelledby="personal-title"><thead><tr><th scope="col">Link</th><th scope="col">State</th><th scope="col">Opened</th><th scope="col">Clip sent</th><th scope="col"><span class="hidden-text">Copy</span></th></tr></thead>
<tbody id="link-rows">${recipientUrls.map(link => toHtml(linkRow(link)))}</tbody></table>
<p id="links-newer" class="more" hidden><button type="button">Back to the first links</button></p>
<p id="links-problem" class="warning" role="alert" hidden></p>
<p id="more-links" class="more"${pagination.nextCursor ? null : raw(' hidden')}><button type="button" class="needs-script" data-cursor="${pagination.nextCursor ?? ''}">Show more links</button></p>
${pagination.nextCursor ? html`<noscript><p>More links are in the JSON download.</p></noscript>` : null}</section>`;
}

const PROBLEMS: Record<number, [title: string, text: string]> = {
  400: ['This address is not right', 'Something in the address of this page cannot be understood.'],
  404: [
    'There is no such dashboard',
    'The address may have been cut off when it was copied, or it was replaced by a new one. Whoever runs this project has the address that works.',
  ],
  429: ['One moment, please', 'This page was opened very often just now. It works again within a minute.'],
  503: ['We are not quite there', 'A part of the service is not answering. Nothing is lost; try again in a moment.'],
};

/** What a browser is shown where the dashboard cannot be. */
export function problemPage(status: number, sentence: string, brand: Brand): DashboardDocument {
  const [title, text] = PROBLEMS[status] ?? ['That did not work', sentence];
  const again = status === 404 ? null : html`<p><a class="button primary" href="">Try again</a></p>`;
  return {
    title,
    body: html`<main class="problem">${brandRow(brand)}<h1>${title}</h1><p>${text}</p>${status === 400 ? html`<p>${sentence}</p>` : null}${again}</main>`,
  };
}
