import type { DashboardLinksJson, DashboardOverviewJson } from '@recording-request/contract/resources/dashboard';
import type { ProjectDetailJson } from '@recording-request/contract/resources/project';
import type { SubmissionsPageJson } from '@recording-request/contract/resources/submission';
import type { Brand } from '@recording-request/web-shared/brand';
import { type ComponentChildren, h } from 'preact';
import { pickFields } from './clip.ts';
import { clipsSection } from './components/clips-section.ts';
import { downloads, figures } from './components/figures.ts';
import { linksSection } from './components/link-list.ts';
import { time } from './components/time.ts';
import type { DashboardDocument } from './document.ts';
import { markup } from './markup.ts';
import type { PageEtags, Query } from './settings.ts';

export interface DashboardView {
  overview: DashboardOverviewJson;
  links: DashboardLinksJson;
  page: SubmissionsPageJson;
  etags: PageEtags;
  query: Query;
  /** True when the page does not begin with the newest clip. */
  older: boolean;
  /** The dashboard token in the page's URL. */
  token: string;
  brand: Brand;
}

/** Renders a project's private page. The page is readable at once; the script adds playback and refreshes. */
export function dashboardPage(view: DashboardView): DashboardDocument {
  const { overview, links, page, etags, query, older, token, brand } = view;
  const here = `/project/${encodeURIComponent(token)}`;
  const { project } = overview;
  const submissions = page.submissions.map(pickFields);
  return {
    title: `${project.projectName} – dashboard`,
    settings: { overview, page: { submissions, pagination: page.pagination }, etags, query, older },
    body: markup([
      h('a', { class: 'skip', href: '#clips' }, 'Skip to clips'),
      header(project, brand),
      h(
        'main',
        null,
        sandboxNotice(project),
        h('div', { id: 'banner', class: 'warning banner', role: 'alert', hidden: true }),
        h('div', { id: 'endpoint', class: 'warning', role: 'status', hidden: true }),
        h('dl', { id: 'figures', class: 'figures', 'aria-label': 'At a glance' }, figures(overview)),
        sections(),
        clipsSection({ submissions, here, query, project, older, nextCursor: page.pagination.nextCursor }),
        peopleSection(),
        linksSection(links, here, project.questionCount),
        downloadsSection(overview, here),
      ),
      h('p', { id: 'announcer', class: 'hidden-text', role: 'status', 'aria-live': 'polite' }),
    ]),
  };
}

function brandRow({ name, logo }: Brand): ComponentChildren {
  const mark = logo ? h('img', { class: 'brand', src: logo, alt: name }) : name && h('span', { class: 'brand' }, name);
  return mark && h('div', { class: 'brand-row' }, mark);
}

const header = ({ projectName }: ProjectDetailJson, brand: Brand): ComponentChildren =>
  h(
    'header',
    { class: 'top' },
    brandRow(brand),
    h(
      'div',
      { class: 'title' },
      h('h1', { dir: 'auto' }, projectName),
      h('p', { id: 'fresh', class: 'fresh' }, h('noscript', null, 'Reload the page to see new clips.')),
    ),
    h('button', { id: 'review', class: 'needs-script', type: 'button' }, 'Review clips'),
  );

/** Shows reviewers when the sandbox and its clips will be erased. */
const sandboxNotice = ({ sandbox, sandboxEndsAt }: ProjectDetailJson): ComponentChildren =>
  sandbox &&
  h(
    'p',
    { id: 'sandbox', class: 'warning' },
    'This is a test project. It is erased with all its clips on ',
    time(sandboxEndsAt),
    '.',
  );

const sections = (): ComponentChildren =>
  h(
    'nav',
    { class: 'sections', 'aria-label': 'Sections' },
    h('a', { href: '#clips' }, 'Clips'),
    h('a', { class: 'needs-script', href: '#people' }, 'People'),
    h('a', { href: '#links' }, 'Links'),
    h('a', { href: '#downloads' }, 'Downloads'),
  );

/** The script fills this section: it holds thousands of people only in the tab of a person with an API token. */
const peopleSection = (): ComponentChildren =>
  h(
    'section',
    { id: 'people', tabindex: -1, 'aria-labelledby': 'people-title', hidden: true },
    h('h2', { id: 'people-title' }, 'People'),
    h('div', { id: 'people-root', class: 'people-root' }),
  );

const downloadsSection = (overview: DashboardOverviewJson, here: string): ComponentChildren =>
  h(
    'section',
    { id: 'downloads', tabindex: -1, 'aria-labelledby': 'downloads-title' },
    h('h2', { id: 'downloads-title' }, 'Downloads'),
    h('ul', { id: 'download-list', class: 'downloads' }, downloads(overview, here)),
    h(
      'p',
      { class: 'hint' },
      'The sizes shown are estimates. A download that was interrupted can be resumed. To download a single clip, open it.',
    ),
  );

const PROBLEMS: Record<number, [title: string, text: string]> = {
  400: ['Something is wrong with this link', 'Part of the address of this page could not be read.'],
  404: [
    'Dashboard not found',
    'The link may be incomplete, or it may have been replaced with a new one. Ask the person who runs this project for the current link.',
  ],
  429: ['Too many requests', 'This page has been opened too often. Try again in a minute.'],
  503: ['Temporarily unavailable', 'Part of the service is not responding. Nothing is lost; try again in a moment.'],
};

/** Renders the page for a dashboard that cannot be shown. */
export function problemPage(status: number, sentence: string, brand: Brand): DashboardDocument {
  const [title, text] = PROBLEMS[status] ?? ['Something went wrong', sentence];
  return {
    title,
    body: markup(
      h(
        'main',
        { class: 'problem' },
        brandRow(brand),
        h('h1', null, title),
        h('p', null, text),
        status === 400 && h('p', null, sentence),
        status !== 404 && h('p', null, h('a', { class: 'button primary', href: '' }, 'Try again')),
      ),
    ),
  };
}
