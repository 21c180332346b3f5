import type { RecipientLinkJson } from '@recording-request/contract/resources';
import type { ProjectSettings } from '@recording-request/proto/projects/v1/projects';
import { type Html, html, type Page } from './html.ts';

const REFUSED: Record<string, string> = {
  disabled: 'This link no longer takes new recordings.',
  exhausted: 'Every recording that this link takes has been sent already.',
  expired: 'This link has expired.',
};

/** The recorder. `assets/recorder.js` brings it to life; what it needs to know is in the element's data. */
export function recorderPage({
  settings,
  status,
}: {
  settings: ProjectSettings;
  status: RecipientLinkJson['status'];
}): Page {
  const shown = {
    status,
    maxDurationSec: settings.maxDurationSec,
    questions: settings.interviewQuestions,
    noteEnabled: settings.noteEnabled,
    requireTerms: settings.requireTerms,
    successMessage: settings.showSuccessDialog ? settings.successMessage || 'Your recording has been sent.' : '',
  };
  return {
    title: settings.projectName,
    script: 'recorder.js',
    body: html`<h1>${settings.projectName}</h1>
${settings.requestUrl ? html`<p><a href="${settings.requestUrl}" target="_blank" rel="noopener noreferrer">Read what this is about</a></p>` : null}
<section id="recorder" data-settings="${JSON.stringify(shown)}">
${status === 'active' ? null : html`<p class="notice" id="refused">${REFUSED[status]} Ask whoever sent it for a new one.</p>`}
<div id="controls" ${status === 'active' ? null : html`hidden`}>
<p id="question"></p>
<p>You record up to ${settings.maxDurationSec} seconds, look at the take, and it is sent when you press Send.</p>
<video id="preview" playsinline muted></video>
${terms(settings)}
${settings.noteEnabled ? html`<label>A note, if you like <textarea id="note" maxlength="2000"></textarea></label>` : null}
<p><button id="record">Record</button> <button id="stop" disabled>Stop</button>
<label class="button">Choose a video instead <input id="file" type="file" accept="video/*" hidden></label>
<button id="send" disabled>Send</button></p>
</div>
<p id="state" role="status" aria-live="polite"></p>
<noscript><p class="notice">This page needs JavaScript to record.</p></noscript>
</section>`,
  };
}

function terms(settings: ProjectSettings): Html | null {
  if (!settings.requireTerms) return null;
  return html`${settings.termsText ? html`<details><summary>Terms</summary><pre>${settings.termsText}</pre></details>` : null}
<label><input id="terms" type="checkbox"> ${settings.termsLabel || 'I accept the terms'}</label>`;
}
