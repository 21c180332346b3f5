import type { FastifyReply } from 'fastify';
import type { Html } from '../html.ts';
import { type PageLook, type PageRights, sendDocument } from '../page-document.ts';
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

/** Sends a page of the dashboard. */
export const sendDashboardDocument = (
  reply: FastifyReply,
  status: number,
  look: PageLook,
  page: DashboardDocument,
): FastifyReply => sendDocument(reply, status, look, RIGHTS, { ...page, language: ENGLISH, className: 'no-script' });
