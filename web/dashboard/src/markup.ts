import { type Html, raw } from '@recording-request/web-shared/html';
import { type ComponentChildren, Fragment, h } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** Components as HTML, every text and value in them escaped. */
export const markup = (children: ComponentChildren): Html => raw(renderToString(h(Fragment, null, children)));
