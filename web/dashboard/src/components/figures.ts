import type { DashboardOverviewJson } from '@recording-request/contract/resources/dashboard';
import type { ProjectStatsJson } from '@recording-request/contract/resources/project';
import { type ComponentChildren, h } from 'preact';
import { count, size } from '../format.ts';
import { time } from './time.ts';

/** Renders the counts of the project. */
export function figures({ project }: DashboardOverviewJson): ComponentChildren {
  const { stats } = project;
  const uses = stats.responseSlotsRemaining;
  return [
    figure(
      'Clips',
      stats.videosCreated,
      stats.selectedVideos > 0 ? `${stats.selectedVideos} selected` : 'none selected',
    ),
    figure(
      'Responses',
      stats.responseSlotsUsed,
      `of ${stats.totalResponseCapacity.toLocaleString('en')}, ${uses.toLocaleString('en')} left`,
    ),
    project.transcriptionEnabled || stats.transcriptCompleted > 0
      ? figure('Transcripts', stats.transcriptCompleted, transcripts(stats))
      : figure('Transcripts', '–', 'off'),
    figure('Open links', linksOpen(stats), project.expiresAt ? ['until ', time(project.expiresAt)] : 'no end date'),
  ];
}

const figure = (name: string, value: number | string, more: ComponentChildren): ComponentChildren =>
  h(
    'div',
    { class: 'figure' },
    h('dt', null, name),
    h('dd', null, typeof value === 'number' ? value.toLocaleString('en') : value),
    h('dd', { class: 'aside' }, more),
  );

function transcripts({ transcriptPending, transcriptFailed }: ProjectStatsJson): string {
  const parts = [];
  if (transcriptPending > 0) parts.push(`${transcriptPending} in progress`);
  if (transcriptFailed > 0) parts.push(`${transcriptFailed} failed`);
  return parts.join(', ') || 'none in progress';
}

const linksOpen = ({ uniqueLinksRemaining, sharedUsesRemaining }: ProjectStatsJson): number =>
  uniqueLinksRemaining + (sharedUsesRemaining > 0 ? 1 : 0);

/** Renders all downloads, with known sizes. */
export function downloads(
  { project, videoBytes, selectedVideoBytes }: DashboardOverviewJson,
  here: string,
): ComponentChildren {
  const { videosCreated, selectedVideos, transcriptCompleted } = project.stats;
  return [
    download(`${here}/export/project.zip`, 'Everything', 'ZIP', [
      `${count(videosCreated, 'clip')}, the spreadsheet and all transcripts`,
      videosCreated > 0 && `, about ${size(videoBytes)}`,
    ]),
    selectedVideos > 0 &&
      download(`${here}/export/selected.zip`, 'Selected clips', 'ZIP', [
        `${count(selectedVideos, 'clip')}, with a spreadsheet and transcripts, about ${size(selectedVideoBytes)}`,
      ]),
    download(`${here}/export.csv?bom=1`, 'Spreadsheet', 'CSV', 'One row per clip'),
    download(`${here}/export/transcripts.txt`, 'All transcripts', 'Text', 'Everything that was said, clip by clip'),
    transcriptCompleted > 0 &&
      download(`${here}/export/transcripts.zip`, 'Captions', 'ZIP', [
        `Text, WebVTT and SRT files of ${count(transcriptCompleted, 'clip')}`,
      ]),
    download(
      `${here}/export.json`,
      'All data',
      'JSON',
      'The project, its links and its clips, for use in other software',
    ),
  ];
}

const download = (href: string, name: string, kind: string, about: ComponentChildren): ComponentChildren =>
  h(
    'li',
    null,
    h(
      'a',
      { class: 'download', href, download: '' },
      h('span', { class: 'kind', 'aria-hidden': 'true' }, kind),
      h('span', null, h('b', null, name), h('span', { class: 'hidden-text' }, ` (${kind})`), h('small', null, about)),
    ),
  );
