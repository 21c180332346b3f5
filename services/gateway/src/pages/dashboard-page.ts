import type {
  ProjectDetailJson,
  ProjectLinksJson,
  SubmissionJson,
  SubmissionsPageJson,
} from '@recording-request/contract/resources';
import { type Html, html, type Page } from './html.ts';

export interface DashboardView {
  project: ProjectDetailJson;
  links: ProjectLinksJson;
  page: SubmissionsPageJson;
  /** The dashboard token that the page was opened with. */
  token: string;
}

const LINKS_SHOWN = 200;

/** The private page of a project: made on the server, without a script. */
export function dashboardPage({ project, links, page, token }: DashboardView): Page {
  const here = `/project/${encodeURIComponent(token)}`;
  const { stats } = project;
  return {
    title: project.projectName,
    body: html`<h1>${project.projectName}</h1>
<p>${stats.videosCreated} recorded · ${stats.responseSlotsRemaining} of ${stats.totalResponseCapacity} responses left ·
${stats.transcriptCompleted} transcripts${stats.transcriptPending ? html`, ${stats.transcriptPending} being made` : null}${stats.transcriptFailed ? html`, ${stats.transcriptFailed} failed` : null}</p>
<p>Download: <a href="${here}/export/project.zip">everything (ZIP)</a> · <a href="${here}/export.csv">table (CSV)</a> ·
<a href="${here}/export/transcripts.txt">transcripts</a> · <a href="${here}/export.json">JSON</a></p>
<h2>Recordings</h2>
${page.submissions.length === 0 ? html`<p>Nothing has been recorded yet.</p>` : page.submissions.map(one => clip(one, here))}
${page.pagination.nextCursor ? html`<p><a href="${here}?cursor=${encodeURIComponent(page.pagination.nextCursor)}">Older recordings</a></p>` : null}
<h2>Links</h2>
${
  links.sharedLink
    ? html`<p>Shared link: <a href="${links.sharedLink.recipientUrl}">${links.sharedLink.recipientUrl}</a> — ${links.sharedLink.status}, ${links.sharedLink.remainingUses} of ${links.sharedLink.maxUses} left</p>
<p><img src="${here}/shared-link/qr.png" alt="QR code of the shared link" width="220"></p>`
    : null
}
<table><thead><tr><th>Link</th><th>Status</th><th>Opened</th><th>Sent</th></tr></thead><tbody>
${links.recipientUrls.slice(0, LINKS_SHOWN).map(link => html`<tr><td><a href="${link.recipientUrl}">${link.recipientUrl}</a></td><td class="whole">${link.status}</td><td>${when(link.openedAt)}</td><td>${when(link.submittedAt)}</td></tr>`)}
</tbody></table>
${links.recipientUrls.length > LINKS_SHOWN ? html`<p>${links.recipientUrls.length - LINKS_SHOWN} more are in the JSON download.</p>` : null}`,
  };
}

/** A time for people, to the minute; the reader's own zone is not known without a script, so UTC is said. */
function when(time: string | null): Html | null {
  if (time === null) return null;
  return html`<time datetime="${time}">${time.slice(0, 10)} ${time.slice(11, 16)} UTC</time>`;
}

function clip(submission: SubmissionJson, here: string): Html {
  const at = `${here}/submissions/${submission.submissionId}`;
  const poster = submission.thumbnailStartUrl ? html`poster="${at}/thumbnail-start"` : null;
  return html`<article>
<video controls preload="none" ${poster} src="${at}/video"></video>
<p>${when(submission.createdAt)}${submission.durationSec === null ? null : html` · ${submission.durationSec} s`}${submission.selected ? ' · selected' : null}${submission.incomplete ? ' · incomplete' : null}</p>
${submission.questionText ? html`<p>${(submission.questionIndex ?? 0) + 1}. ${submission.questionText}</p>` : null}
${submission.note ? html`<p>Note: ${submission.note}</p>` : null}
${submission.reviewNote ? html`<p>Review: ${submission.reviewNote}</p>` : null}
${transcript(submission, at)}
<p><a href="${at}/video" download>Video</a>${submission.audioUrl ? html` · <a href="${at}/audio" download>Audio</a>` : null}</p>
</article>`;
}

function transcript(submission: SubmissionJson, at: string): Html | null {
  const { transcriptStatus, transcriptText, transcriptError } = submission;
  if (transcriptStatus === 'completed') {
    return html`<details><summary>Transcript</summary><p>${transcriptText || 'No speech was heard.'}</p><p><a href="${at}/transcript.txt">Text</a> · <a href="${at}/transcript.vtt">WebVTT</a></p></details>`;
  }
  if (transcriptStatus === 'failed') return html`<p>The transcript failed: ${transcriptError}</p>`;
  return transcriptStatus === 'pending' || transcriptStatus === 'processing'
    ? html`<p>The transcript is being made.</p>`
    : null;
}
