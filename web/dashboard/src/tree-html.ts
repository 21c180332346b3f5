import { Html, html } from '@recording-request/web-shared/html';
import type { Tree } from './tree.ts';

const VOID = new Set(['br', 'img', 'input', 'source', 'track']);
const NAME = /^[a-z][a-z0-9-]*$/i;

/** A tree as HTML, every text and value of it escaped. */
export function toHtml(tree: Tree): Html {
  if (Array.isArray(tree)) return html`${tree.map(toHtml)}`;
  if (tree === null || tree === undefined || tree === false) return new Html('');
  if (typeof tree !== 'object') return html`${tree}`;
  const { tag, attributes, children } = tree;
  if (!NAME.test(tag)) throw new Error(`${tag} is no element`);
  const written = Object.entries(attributes).map(([name, value]) => {
    if (!NAME.test(name)) throw new Error(`${name} is no attribute`);
    if (value === null || value === undefined || value === false) return null;
    return value === true ? new Html(` ${name}`) : html`${new Html(` ${name}`)}="${value}"`;
  });
  const start = html`${new Html(`<${tag}`)}${written}>`;
  return VOID.has(tag) ? start : html`${start}${children.map(toHtml)}${new Html(`</${tag}>`)}`;
}
