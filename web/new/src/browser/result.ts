import { csvCell } from '@recording-request/contract/csv';
import type { ProjectCreatedJson } from '@recording-request/contract/resources/project';
import { announce } from '@recording-request/web-shared/browser/texts';

// The result: the links of the new project.

const SHOWN_LINKS = 100;
/** The parts of the page that the result replaces. */
const BEFORE = ['intro', 'form'];

function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  fields: Partial<Omit<HTMLElementTagNameMap[Tag], 'style' | 'dataset'>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = Object.assign(document.createElement(tag), fields);
  made.append(...children);
  return made;
}

const link = (href: string) => element('a', { href, className: 'address' }, href);

export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    announce(`${what} copied.`);
  } catch {
    announce('The browser did not allow copying. Select the text and copy it.');
  }
}

function copyButton(label: string, text: () => string, what: string): HTMLButtonElement {
  const button = element('button', { type: 'button' }, label);
  button.addEventListener('click', async () => {
    await copy(text(), what);
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = label), 2_000);
  });
  return button;
}

type Link = ProjectCreatedJson['recipientUrls'][number];
const nameOf = ({ recipient }: Link): string => recipient?.name ?? recipient?.email ?? recipient?.reference ?? '';

function linksAsCsv(links: readonly Link[]): string {
  const rows = links.map(each => [
    each.recipient?.name ?? '',
    each.recipient?.email ?? '',
    each.recipient?.reference ?? '',
    each.recipientUrl,
  ]);
  return [['name', 'email', 'reference', 'recipientUrl'], ...rows]
    .map(row => row.map(cell => csvCell(cell)).join(','))
    .join('\r\n');
}

function downloadButton(links: readonly Link[], projectName: string): HTMLButtonElement {
  const button = element('button', { type: 'button' }, 'Download the links as CSV');
  button.addEventListener('click', () => {
    const url = URL.createObjectURL(new Blob(['\ufeff', linksAsCsv(links), '\r\n'], { type: 'text/csv' }));
    element('a', {
      href: url,
      download: `${projectName.replace(/[^\p{L}\p{N} _-]/gu, '').trim() || 'links'}.csv`,
    }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  });
  return button;
}

function linkTable(links: readonly Link[]): Node[] {
  const rows = links.slice(0, SHOWN_LINKS).map(each =>
    element(
      'tr',
      {},
      element('td', { dir: 'auto' }, nameOf(each) || '–'),
      element('td', {}, link(each.recipientUrl)),
      element(
        'td',
        {},
        copyButton('Copy', () => each.recipientUrl, 'Link'),
      ),
    ),
  );
  const head = element(
    'tr',
    {},
    element('th', { scope: 'col' }, 'Person'),
    element('th', { scope: 'col' }, 'Link'),
    element('td'),
  );
  const table = element('table', {}, element('thead', {}, head), element('tbody', {}, ...rows));
  const rest = links.length - rows.length;
  return rest > 0
    ? [table, element('p', { className: 'hint' }, `${rest.toLocaleString('en')} more are in the CSV file.`)]
    : [table];
}

export function hideResult(): void {
  document.getElementById('result')!.hidden = true;
  for (const id of BEFORE) document.getElementById(id)!.hidden = false;
}

/** Shows the new project in place of the form. `again` empties the page for another project. */
export function showResult(created: ProjectCreatedJson, again: () => void): void {
  const section = document.getElementById('result')!;
  const links = created.recipientUrls;
  const heading = element('h1', { tabIndex: -1 }, 'Your project is ready');
  const another = element('button', { type: 'button' }, 'Create another project');
  another.addEventListener('click', again);
  const parts: (Node | string)[] = [
    heading,
    element('p', { className: 'lead', dir: 'auto' }, created.projectName),
    element('h2', {}, 'Dashboard'),
    element('p', {}, link(created.dashboardUrl)),
    element(
      'p',
      { className: 'hint' },
      'Everybody with this address sees the videos. It is shown only once: keep it somewhere safe.',
    ),
    element(
      'p',
      { className: 'bar' },
      copyButton('Copy the address', () => created.dashboardUrl, 'Address'),
    ),
  ];
  if (created.sharedLink) {
    const { recipientUrl, maxUses } = created.sharedLink;
    parts.push(
      element('h2', {}, 'Link for many people'),
      element('p', {}, link(recipientUrl)),
      element('p', { className: 'hint' }, `It takes ${maxUses.toLocaleString('en')} videos.`),
      element(
        'p',
        { className: 'bar' },
        copyButton('Copy the link', () => recipientUrl, 'Link'),
      ),
    );
  }
  parts.push(
    element('h2', {}, links.length === 1 ? 'One personal link' : `${links.length.toLocaleString('en')} personal links`),
    element('p', { className: 'hint' }, 'Send each person their own link. The service sends no mail.'),
    element(
      'p',
      { className: 'bar' },
      copyButton(
        'Copy all links',
        () => links.map(each => `${nameOf(each)}\t${each.recipientUrl}`).join('\n'),
        'Links',
      ),
      downloadButton(links, created.projectName),
    ),
    ...linkTable(links),
    element(
      'details',
      { className: 'more' },
      element('summary', {}, 'The answer of the API'),
      element('pre', { id: 'answer', tabIndex: 0 }, JSON.stringify(created, undefined, 2)),
    ),
    element('p', { className: 'bar' }, another),
  );
  section.replaceChildren(...parts);
  section.hidden = false;
  for (const id of BEFORE) document.getElementById(id)!.hidden = true;
  heading.focus();
}
