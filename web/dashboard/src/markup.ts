import { type Html, raw } from '@recording-request/web-shared/html';
import { type ComponentChildren, Fragment, h } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** Renders components as HTML and escapes all texts and values. */
export const markup = (children: ComponentChildren): Html => raw(renderToString(h(Fragment, null, children)));
