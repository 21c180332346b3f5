import { randomBytes, randomInt } from 'node:crypto';
import {
  type PageLook,
  type PageRights,
  type RenderedDocument,
  renderDocument,
} from '@recording-request/web-shared/document';
import { type Html, html, raw } from '@recording-request/web-shared/html';
import type { DashboardSettings } from './settings.ts';

export interface DashboardDocument {
  title: string;
  body: Html;
  /** Present when the page has its script. */
  settings?: DashboardSettings;
}

const RIGHTS: PageRights = {
  media: "'self'",
  forms: "'self'",
  permissions:
    'fullscreen=(self), clipboard-write=(self), picture-in-picture=(self), camera=(), microphone=(), geolocation=(), display-capture=(), payment=(), usb=()',
};
const ENGLISH = { code: 'en', dir: 'ltr' };

const PADDING_BYTES_MAX = 256;

// The compressed page contains tokens and contributors' texts. Without padding, its length would reveal letters that a
// token and a text share. docs/decisions/0019-compression.md.
const padding = (): Html => raw(`<!-- ${randomBytes(randomInt(PADDING_BYTES_MAX)).toString('base64url')} -->`);

export const renderDashboard = (look: PageLook, page: DashboardDocument): RenderedDocument =>
  renderDocument(look, RIGHTS, {
    ...page,
    body: html`${page.body}${padding()}`,
    language: ENGLISH,
    className: 'no-script',
  });
