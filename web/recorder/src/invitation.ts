import type { Brand } from '@recording-request/web-shared/brand';
import { clock } from '@recording-request/web-shared/clock';
import { type Html, html, raw } from '@recording-request/web-shared/html';
import { fill, fillPlural, type Language } from './languages.ts';
import type { RecorderProject } from './project.ts';

// The first view's answers to a contributor's questions: who asks for what, how long it takes, who sees it, until when.

/** The owner's statements about a link. */
export interface Invitation {
  /** The name of the person for whom the link is meant. */
  recipientName?: string | undefined;
  dueAt?: Date | undefined;
  /** When the links of the project expire. */
  expiresAt?: Date | undefined;
}

export interface Invited {
  settings: RecorderProject;
  invitation: Invitation;
  language: Language;
  brand: Brand;
  now: Date;
}

/**
 * With more questions than `all`, only the `first` ones are visible; the others unfold. The page contains the first
 * questions with at most `characters` in total, but at least one; the script loads the others when they unfold. So the
 * weight of the page is bounded.
 */
const SHOWN = { all: 6, first: 4, characters: 800 };

/** Returns how many questions the page contains. */
export function containedCount(questions: readonly string[]): number {
  let characters = 0;
  for (const [index, question] of questions.entries()) {
    characters += question.length;
    if (characters > SHOWN.characters) return Math.max(1, index);
  }
  return questions.length;
}

const icon = (shape: string) => raw(`<svg viewBox="0 0 24 24" aria-hidden="true">${shape}</svg>`);
const EYE = icon('<path d="M2 12c5-8 15-8 20 0-5 8-15 8-20 0z"/><circle cx="12" cy="12" r="3"/>');
const CLOCK = icon('<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3 3"/>');

/** Renders the lines above the title: the greeting and the asker. Both are optional. */
export function greeting({ invitation, language: { page }, brand }: Invited): Html {
  const { recipientName } = invitation;
  return html`${recipientName ? html`<p class="hello">${filled(page.hello, name(recipientName))}</p>` : null}
${brand.name ? html`<p class="asks">${filled(page.asks, name(brand.name))}</p>` : null}`;
}

/** Returns the number of questions and the length of an answer. */
export function leadOf({ settings, language }: Pick<Invited, 'settings' | 'language'>): string {
  const time = clock(settings.maxDurationSec);
  const count = settings.interviewQuestions.length;
  return count > 0 ? fillPlural(language, 'leadInterview', count, { time }) : fill(language.page.lead, { time });
}

/** Renders the audience and the end. */
export function facts(invited: Invited): Html {
  const { language, brand } = invited;
  const { page } = language;
  const audience = brand.owner ? filled(page.audience, name(brand.owner)) : html`${page.audienceUnnamed}`;
  const end = endOf(invited);
  return html`<ul class="facts">
<li>${EYE}<span>${audience}</span></li>${
    end &&
    html`
<li>${CLOCK}<span>${filled(end.text, {
      date: html`<time datetime="${end.at.toISOString()}">${dateOf(end.at, language)}</time>`,
    })}</span></li>`
  }</ul>`;
}

/** Lists the questions before the camera is on, so that contributors can prepare. The script reads them from here. */
export function questionCards(invited: Pick<Invited, 'settings' | 'language'>, answered: number[]): Html | null {
  const { settings, language } = invited;
  const { interviewQuestions: all } = settings;
  if (all.length === 0) return null;
  const contained = containedCount(all);
  const visible = all.length > SHOWN.all || contained < all.length ? Math.min(SHOWN.first, contained) : all.length;
  const card = (question: string, index: number) =>
    html`<li><span dir="auto">${question}</span> <span class="answered"${answered.includes(index) ? null : raw(' hidden')}>✓ ${language.page.answered}</span></li>`;
  const cards = all.slice(0, contained).map(card);
  const rest = all.length - visible;
  return html`<ol class="questions" role="list">${cards.slice(0, visible)}</ol>${
    rest > 0 &&
    html`<details${contained < all.length ? raw(' data-more') : null}><summary>${fillPlural(language, 'moreQuestions', rest)}</summary><ol class="questions" role="list" start="${visible + 1}">${cards.slice(visible)}</ol></details>`
  }`;
}

/**
 * Returns the tags from which chat and mail programs make a preview of the link. They contain no recipient: a preview may
 * appear in a group.
 */
export function linkPreview(invited: Invited): Html {
  const { settings, language, brand } = invited;
  const { page } = language;
  const end = endOf(invited);
  const asks = brand.name ? `${fill(page.asks, { name: brand.name })} · ` : '';
  const sentences = [
    leadOf(invited),
    brand.owner ? fill(page.audience, { name: brand.owner }) : page.audienceUnnamed,
    end && fill(end.text, { date: dateOf(end.at, language) }),
  ];
  return previewTags(settings.projectName, asks + sentences.filter(Boolean).join(' '), brand.name);
}

/** Returns the tags of a preview without facts, as for a closed link. */
export const previewTags = (title: string, description: string, site = ''): Html =>
  html`<meta name="description" content="${description}">
<meta property="og:type" content="website">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
${site && html`<meta property="og:site_name" content="${site}">`}`;

/** Returns the deadline if it is ahead and not after the expiry, or else the expiry. */
function endOf({ invitation: { dueAt, expiresAt }, language: { page }, now }: Invited) {
  if (dueAt && dueAt > now && !(expiresAt && expiresAt < dueAt)) return { at: dueAt, text: page.dueBy };
  return expiresAt && { at: expiresAt, text: page.openUntil };
}

/** Returns the time in UTC. The page's script replaces it by the time in the browser's zone. */
const dateOf = (at: Date, { code }: Language): string =>
  `${new Intl.DateTimeFormat(code, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(at)} UTC`;

const name = (text: string) => ({ name: html`<bdi>${text}</bdi>` });

/** Returns a text with its `{name}` places filled with HTML. */
function filled(text = '', values: Record<string, Html>): Html {
  return html`${text.split(/\{(\w+)\}/).map((part, at) => (at % 2 === 0 ? part : values[part]))}`;
}
