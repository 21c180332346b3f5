import { html, type Page } from './html.ts';

export const unknownLinkPage = (): Page => ({
  title: 'Link not found',
  body: html`<h1>This recording link does not exist</h1>
<p>Check that the whole link was copied, or ask whoever sent it for a new one.</p>`,
});
