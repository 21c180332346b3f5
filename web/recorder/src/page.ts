import { referenceOf } from '@recording-request/contract/reference';
import type { RecipientLinkJson } from '@recording-request/contract/resources/link';
import { hostOf } from '@recording-request/contract/return-address';
import type { Brand } from '@recording-request/web-shared/brand';
import { type Html, html, raw } from '@recording-request/web-shared/html';
import { brandHeader, keptQuery, languagePicker, loadAgain, noticeBody, type RecorderDocument } from './document.ts';
import {
  containedCount,
  facts,
  greeting,
  type Invitation,
  type Invited,
  leadOf,
  linkPreview,
  previewTags,
  questionCards,
} from './invitation.ts';
import { fill, type Language } from './languages.ts';
import type { RecorderProject } from './project.ts';
import { earlierAnswers, nextQuestion } from './questions.ts';
import { captureScreen, doneScreen, elsewhereScreen, problemScreen, reviewScreen, sendingScreen } from './screens.ts';

interface RecorderView {
  settings: RecorderProject;
  invitation?: Invitation;
  /** The positions of the answered questions, if any device may continue the response in progress. */
  answered?: number[];
  /** True when the link takes many responses. */
  shared: boolean;
  /** `closed`: the owner has closed the project. */
  status: RecipientLinkJson['status'] | 'closed';
  language: Language;
  brand: Brand;
  /** The `ref` of the page's address, unchecked. */
  ref?: unknown;
  now?: Date;
}

/** Renders the recorder. Its first screen is readable at once; the script activates the others. */
export function recorderPage({
  settings,
  invitation = {},
  answered = [],
  shared,
  status,
  language,
  brand,
  ref,
  now = new Date(),
}: RecorderView): RecorderDocument {
  const active = status === 'active';
  const reference = (shared && settings.acceptReference && referenceOf(ref)) || '';
  const kept = keptQuery({ reference });
  const invited: Invited = { settings, invitation, language, brand, now };
  return {
    title: settings.projectName,
    language,
    head: active
      ? linkPreview(invited)
      : previewTags(settings.projectName, language.page[`${status}Text`] ?? '', brand.name),
    settings: {
      status: status as 'active',
      shared,
      maxDurationSec: settings.maxDurationSec,
      modes: settings.answerModes,
      hasScript: settings.script !== '',
      questionCount: settings.interviewQuestions.length,
      nextQuestion: nextOf(settings.interviewQuestions, answered),
      reference,
      answered,
      noteEnabled: settings.noteEnabled,
      requireTerms: settings.requireTerms,
      successDialog: settings.showSuccessDialog ? settings.successMessage : null,
      lang: language.code,
      texts: language.script,
    },
    body: html`${active ? null : refusedScreen(language, brand, status, kept)}
${welcomeScreen({ ...invited, answered, kept }, active)}
${captureScreen(language)}
${reviewScreen(settings, language)}
${sendingScreen(language, brand)}
${elsewhereScreen(language, brand)}
${doneScreen(language, brand)}
${problemScreen(language, brand)}
<input id="file" type="file" accept="video/*" capture="user" hidden>
<p id="announcer" class="hidden-text" role="status" aria-live="polite"></p>`,
  };
}

export const unknownLinkPage = (language: Language, brand: Brand): RecorderDocument => ({
  title: language.page.unknownTitle ?? '',
  language,
  body: noticeBody(language, brand, {
    mark: 'unknown',
    title: language.page.unknownTitle ?? '',
    text: language.page.unknownText ?? '',
    actions: loadAgain(language.script.checkAgain),
  }),
});

/**
 * Renders the page for when the recorder is unavailable. It reloads after `seconds`, without a script. With `crowd`,
 * the page says that there are too many visitors; otherwise, that the service is down.
 */
export const waitPage = (language: Language, brand: Brand, seconds: number, crowd: boolean): RecorderDocument => ({
  title: language.page.waitTitle ?? '',
  language,
  reloadAfterSec: seconds,
  body: noticeBody(language, brand, {
    mark: 'wait',
    title: language.page.waitTitle ?? '',
    text: fill(crowd ? language.page.waitCrowd : language.page.waitAway, { seconds }),
    actions: loadAgain(language.script.tryAgain),
  }),
});

export interface End {
  /** The owner's text after the last answer; "" for none. */
  message: string;
  /** The owner's return address; null without one. */
  returnUrl: string | null;
  /** The response, which stays in the address. */
  responseSessionId: string | undefined;
  /** The recorder's address, if the link is shared and takes another response. */
  another?: string | undefined;
  /** The contributor's reference, which stays in the addresses; "" for none. */
  reference?: string;
}

export function thankYouPage(
  language: Language,
  brand: Brand,
  { message, returnUrl, responseSessionId, another, reference = '' }: End,
) {
  const { page, script } = language;
  const body = noticeBody(language, brand, {
    mark: 'good',
    title: page.thanksTitle ?? '',
    text: page.thanksText ?? '',
    ownerText: message,
    next: returnUrl ? undefined : page.closePage,
    actions:
      returnUrl || another
        ? html`${returnUrl ? html`<a class="primary button" href="${returnUrl}">${fill(script.continueTo, { host: hostOf(returnUrl) })}</a>` : null}
${another ? html`<a class="${returnUrl ? 'quiet' : 'primary'} button" href="${another}?lang=${language.code}${keptQuery({ reference })}#another">${script.another}</a>` : null}`
        : null,
    kept: keptQuery({ response: responseSessionId, reference }),
  });
  return { title: page.thanksTitle ?? '', language, body } satisfies RecorderDocument;
}

function refusedScreen(language: Language, brand: Brand, status: string, kept: string): Html {
  const { page, script } = language;
  const notice = noticeBody(language, brand, {
    mark: status === 'expired' ? 'wait' : 'closed',
    title: page[`${status}Title`] ?? '',
    text: page[`${status}Text`] ?? '',
    actions: loadAgain(script.checkAgain),
    kept,
  });
  return html`<div id="screen-refused">${notice}</div>`;
}

/** The greeting names the asker, so the header has only a logo. */
const welcomeHeader = (brand: Brand, picker: Html) => brandHeader(brand.logo ? brand : { ...brand, name: '' }, picker);

type Welcome = Invited & { answered: number[]; kept: string };

function welcomeScreen(welcome: Welcome, active: boolean): Html {
  const { settings, answered, language, brand, kept } = welcome;
  const { page } = language;
  return html`<section class="screen" id="screen-welcome"${active ? null : raw(' hidden')}>
${welcomeHeader(brand, languagePicker(language, kept))}
<div class="middle">
${greeting(welcome)}
<h1 dir="auto">${settings.projectName}</h1>
${settings.sandbox ? html`<p class="notice-box">${page.sandbox}</p>` : null}
<p class="lead">${leadOf(welcome)}</p>
${facts(welcome)}
${questionCards(welcome, answered)}
<p class="promise">${page.promise}</p>
${settings.requestUrl ? html`<p><a href="${settings.requestUrl}" target="_blank" rel="noopener noreferrer">${page.about}</a></p>` : null}
${welcomeHint(settings, answered, language)}
</div>
${terms(settings, page)}
<div class="actions bar">
<p id="welcome-problem" class="warning" role="alert" hidden></p>
<button id="to-take" class="quiet" type="button" hidden>${page.toTake}</button>
${startButtons(settings, page)}
<button id="elsewhere" class="quiet" type="button" hidden>${page.elsewhere}</button>
<noscript><p class="warning">${page.noScript}</p></noscript>
</div>
</section>`;
}

/** Returns a button for each way to answer. The first one that the project allows is the primary button. */
function startButtons({ answerModes }: RecorderProject, page: Record<string, string>): Html[] {
  const ways = [
    ['video', 'start', page.start],
    ['audio', 'start-audio', page.startAudio],
    ['file', 'choose-file', page.chooseFile],
  ] as const;
  const main = ways.find(([mode]) => answerModes.includes(mode))?.[0];
  return ways.map(
    ([mode, id, label]) =>
      html`<button id="${id}" class="${mode === main ? 'primary' : 'quiet'}" type="button"${answerModes.includes(mode) ? null : raw(' hidden')}>${label}</button>`,
  );
}

/** Returns the next question if it is not on a card of the page. */
function nextOf(questions: readonly string[], answered: readonly number[]): string {
  const next = nextQuestion(questions.length, answered);
  return next < containedCount(questions) ? '' : (questions[next] ?? '');
}

/** Returns the line about earlier answers. It must have the same words as the script's line. */
function welcomeHint({ interviewQuestions }: RecorderProject, answered: number[], { script }: Language): Html {
  const hint = earlierAnswers(interviewQuestions.length, answered);
  return html`<p id="welcome-back" class="notice-box"${hint ? null : raw(' hidden')}>${hint ? fill(script.earlierAnswers, hint) : null}</p>`;
}

function terms(settings: RecorderProject, page: Record<string, string>): Html | null {
  if (!settings.requireTerms) return null;
  return html`<div id="terms-box" class="terms">
${settings.termsText ? html`<details><summary>${page.termsRead}</summary><div class="terms-text" dir="auto" tabindex="0">${settings.termsText}</div></details>` : null}
<label><input id="terms" type="checkbox" aria-describedby="welcome-problem"> <span dir="auto">${settings.termsLabel || page.termsLabel}</span></label></div>`;
}
