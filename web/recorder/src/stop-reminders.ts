import type { Brand } from '@recording-request/web-shared/brand';
import { html } from '@recording-request/web-shared/html';
import { noticeBody, type RecorderDocument } from './document.ts';
import type { Language } from './languages.ts';

interface StopView {
  projectName: string;
  stopped: boolean;
}

/** Renders the page on which a person stops the reminders of a link. It needs no script. */
export function stopRemindersPage(
  language: Language,
  brand: Brand,
  { projectName, stopped }: StopView,
): RecorderDocument {
  const { page } = language;
  const title = (stopped ? page.remindersStoppedTitle : page.remindersTitle) ?? '';
  const text = (stopped ? page.remindersStoppedText : page.remindersText) ?? '';
  const form = html`<form method="post"><button class="primary" type="submit" name="stop" value="reminders">${page.remindersStop}</button></form>`;
  const body = noticeBody(language, brand, {
    mark: stopped ? 'good' : 'unknown',
    title,
    text,
    ownerText: projectName,
    next: stopped ? page.closePage : undefined,
    actions: stopped ? null : form,
  });
  return { title, language, body, ...(stopped ? {} : { hasForm: true }) };
}
