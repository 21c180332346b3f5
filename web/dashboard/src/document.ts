import {
  type PageLook,
  type PageRights,
  type RenderedDocument,
  renderDocument,
} from '@recording-request/web-shared/document';
import type { Html } from '@recording-request/web-shared/html';
import type { DashboardSettings } from './settings.ts';

export interface DashboardDocument {
  title: string;
  body: Html;
  /** Given where the page carries its script. */
  settings?: DashboardSettings;
}

const RIGHTS: PageRights = {
  media: "'self'",
  forms: "'self'",
  permissions:
    'fullscreen=(self), clipboard-write=(self), picture-in-picture=(self), camera=(), microphone=(), geolocation=(), display-capture=(), payment=(), usb=()',
};
const ENGLISH = { code: 'en', dir: 'ltr' };

/** A page of the dashboard, as it goes to the browser. */
export const renderDashboard = (look: PageLook, page: DashboardDocument): RenderedDocument =>
  renderDocument(look, RIGHTS, { ...page, language: ENGLISH, className: 'no-script' });
