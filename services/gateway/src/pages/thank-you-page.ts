import { html, type Page } from './html.ts';

export const thankYouPage = (): Page => ({
  title: 'Thank you',
  body: html`<h1>Thank you</h1><p>All your answers have arrived. You can close this page.</p>`,
});
