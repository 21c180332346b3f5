import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(process.env.AXE_PATH ?? createRequire(import.meta.url).resolve('axe-core'), 'utf8');

interface Fault {
  id: string;
  nodes: { html: string }[];
}

/** Fails if axe finds violations on the current page. The error names all of them. */
export async function checkAccessibility(page: Page, what: string): Promise<void> {
  await page.evaluate(axe);
  const faults = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Fault[] }> } };
    return (await axe.run()).violations;
  });
  const found = faults.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  assert.deepEqual(found, [], `axe on ${what}`);
}
