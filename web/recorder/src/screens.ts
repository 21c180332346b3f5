import { LIMITS } from '@recording-request/contract/limits';
import type { Brand } from '@recording-request/web-shared/brand';
import { mark } from '@recording-request/web-shared/ending';
import { type Html, html, raw } from '@recording-request/web-shared/html';
import { brandHeader } from './document.ts';
import type { Language } from './languages.ts';
import type { RecorderProject } from './project.ts';

// The screens that the script shows one at a time. The page contains all their texts, so that nothing moves later.

const FLIP = raw(
  '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 8a9 9 0 0 1 15-2l2 2M20 16a9 9 0 0 1-15 2l-2-2M21 3v5h-5M3 21v-5h5"/></svg>',
);
const GEAR = raw(
  '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 7h9m6 0h1M4 17h1m6 0h9"/><circle cx="16" cy="7" r="2.5"/><circle cx="8" cy="17" r="2.5"/></svg>',
);

const TEXT = raw('<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M5 6h14M5 11h14M5 16h9"/></svg>');

export function captureScreen({ page }: Language): Html {
  return html`<section class="capture" id="screen-capture" aria-label="${page.capture}" data-mode="ready" hidden>
<video id="live" playsinline muted autoplay></video>
<div class="capture-top" id="capture-top"><p id="capture-count"></p><p id="capture-question" dir="auto"></p></div>
<button id="prompter-open" class="round small" type="button" aria-label="${page.prompter}">${TEXT}</button>
<p id="prompter-problem" class="warning" role="alert" hidden></p>
<p id="countdown" data-for="countdown" aria-hidden="true"></p>
<div class="capture-bottom">
<div data-for="ready held" class="ready-info">
<div class="level" role="meter" aria-label="${page.level}" aria-valuemin="0" aria-valuemax="100" aria-valuenow="0" id="level"><div id="level-bar"></div></div>
<p id="ready-text" class="capture-text"></p>
</div>
<div data-for="recording paused" class="times">
<p class="rec"><span class="dot" aria-hidden="true"></span><span id="rec-word"></span> <span id="elapsed"></span></p>
<p id="left"></p><p id="rec-safe"></p>
</div>
<details id="devices" data-for="ready held"><summary class="round small" aria-label="${page.devices}">${GEAR}</summary>
<div class="panel"><p id="devices-problem" class="warning" role="alert" hidden></p><div id="device-lists"><label>${page.camera}<select id="camera"></select></label><label>${page.microphone}<select id="microphone"></select></label></div></div></details>
<div class="capture-buttons">
<button id="record" data-for="ready" class="primary" type="button">${page.record}</button>
<button id="anyway" data-for="held" class="primary" type="button">${page.anyway}</button>
<button id="sign" data-for="held" class="quiet" type="button">${page.sign}</button>
<button id="camera-to-take" class="quiet" type="button" hidden>${page.toTake}</button>
<button id="cancel-countdown" data-for="countdown" class="primary" type="button">${page.cancel}</button>
<button id="stop" data-for="recording paused" class="primary stop" type="button"><span class="square" aria-hidden="true"></span>${page.stop}</button>
<button id="pause" data-for="recording" class="quiet" type="button">${page.pause}</button>
<button id="resume" data-for="paused" class="quiet" type="button">${page.resume}</button>
</div>
<button id="flip" data-for="ready held" class="round small" type="button" aria-label="${page.flip}" hidden>${FLIP}</button>
</div>
</section>`;
}

export function reviewScreen(settings: RecorderProject, { page }: Language): Html {
  return html`<section class="screen wide" id="screen-review" hidden>
<div class="middle">
<h1 tabindex="-1">${page.reviewTitle}</h1>
<p id="review-warning" class="warning" role="alert" hidden></p>
<p id="review-question" dir="auto" hidden></p>
<video id="playback" playsinline controls preload="auto"></video>
<p id="review-state"></p>
</div>
<div class="bar review-bar">
${settings.noteEnabled ? html`<label class="note">${page.note}<textarea id="note" maxlength="${LIMITS.noteLength}" rows="1" dir="auto"></textarea></label>` : null}
<div class="actions">
<button id="send" class="primary" type="button">${page.send}</button>
<button id="again" class="quiet" type="button">${page.again}</button>
</div>
</div>
</section>`;
}

/** The screen for a browser or device without a camera. It offers the same link for another device. */
export function elsewhereScreen({ page }: Language, brand: Brand): Html {
  return html`<section class="screen end" id="screen-elsewhere" hidden>
${brandHeader(brand)}
<div class="middle">
${mark('camera')}
<p id="elsewhere-reason" class="warning" hidden></p>
<h1 tabindex="-1" id="elsewhere-title"></h1>
<p id="elsewhere-text" class="lead"></p>
<img id="elsewhere-qr" alt="${page.qrCode}" width="240" height="240" hidden>
</div>
<div class="actions">
<p id="elsewhere-told" class="notice-box" role="status" hidden></p>
<input id="elsewhere-link" aria-label="${page.link}" readonly dir="ltr" hidden>
<button id="copy-link" class="primary" type="button">${page.copyLink}</button>
<button id="elsewhere-retry" class="quiet" type="button"></button>
<button id="elsewhere-file" class="quiet" type="button">${page.chooseFile}</button>
</div>
</section>`;
}

export function sendingScreen({ page }: Language, brand: Brand): Html {
  return html`<section class="screen" id="screen-sending" hidden>
${brandHeader(brand)}
<div class="middle">
<h1 tabindex="-1" id="sending-title"></h1>
<progress id="progress" max="100" value="0" aria-labelledby="sending-title"></progress>
<p id="sending-text" class="lead"></p>
<p id="sending-trouble" class="warning" role="alert" hidden></p>
<p>${page.keepOpen}</p>
</div>
</section>`;
}

export function doneScreen({ page }: Language, brand: Brand): Html {
  return html`<section class="screen end" id="screen-done" hidden>
${brandHeader(brand)}
<div class="middle">${mark('good')}
<h1 tabindex="-1" id="done-title"></h1><p id="done-text" class="lead"></p>
<p id="done-message" class="owner-text" dir="auto" hidden></p>
<p id="done-next" class="next">${page.closePage}</p></div>
<div class="actions"><a id="return-link" class="primary button" hidden></a><button id="another" class="primary" type="button" hidden></button></div>
</section>
<dialog id="success" class="end" aria-labelledby="success-text"><div class="middle">${mark('good')}
<p id="success-text" class="lead owner-text" dir="auto"></p></div>
<button id="success-close" class="primary" type="button">${page.close}</button></dialog>`;
}

export function problemScreen({ page }: Language, brand: Brand): Html {
  return html`<section class="screen end" id="screen-problem" hidden>
${brandHeader(brand)}
<div class="middle">${mark('trouble')}<h1 tabindex="-1" id="problem-title"></h1><p id="problem-text" class="lead"></p></div>
<div class="actions">
<button id="problem-retry" class="primary" type="button"></button>
<a id="save" class="primary button" href="#" download hidden>${page.save}</a>
</div>
</section>`;
}
