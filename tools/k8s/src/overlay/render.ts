import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { copyChart } from '../chart.ts';
import { type Manifest, parse, render } from '../manifests.ts';
import { type Finding, fault } from './finding.ts';
import { type FolderObjects, joinFolders } from './repeated.ts';
import { missingValues } from './required.ts';
import { targetFindings } from './targets.ts';

const runFile = promisify(execFile);
const LIMIT_MS = 60_000;
const OUTPUT_BYTES = 16 * 1024 * 1024;

/** The rendered objects of an overlay, and the faults that prevent rendering. */
export interface Rendered {
  objects: Manifest[];
  findings: Finding[];
}

/** Renders folders with kustomize. A folder that kustomize refuses has no objects. */
export async function renderFolders(tools: { kustomize: string }, folders: string[]): Promise<Rendered> {
  const byFolder: FolderObjects[] = [];
  const findings: Finding[] = [];
  const refused: string[] = [];
  for (const folder of [...folders].sort()) {
    // Skips DIR/admin if kustomize refused DIR, because it needs the objects of DIR.
    if (refused.some(each => folder.startsWith(`${each}/`))) continue;
    const within = folders.find(each => folder.startsWith(`${each}/`)) ?? folder;
    try {
      byFolder.push({ name: folder, objects: objectsOf(await render(tools, folder)) });
      findings.push(...(await targetFindings(tools, folder, within)));
    } catch (error) {
      refused.push(folder);
      const missing = await missingValues(folder).catch(() => []);
      const name = relative(within, folder);
      findings.push(...refusals(error, message => (missing.length > 0 ? missing : kustomizeFaults(message, name))));
    }
  }
  const joined = joinFolders(byFolder);
  return { objects: joined.objects, findings: [...findings, ...joined.findings] };
}

/** Renders this version's chart with files of values. */
export async function renderValues(
  { kustomize, helm }: { kustomize: string; helm: string },
  files: string[],
  namespace: string,
): Promise<Rendered> {
  const dir = await mkdtemp(join(tmpdir(), 'chart-'));
  try {
    const chart = join(dir, 'chart');
    await copyChart({ kustomize }, chart);
    const args = ['template', 'recording-request', chart, '--namespace', namespace, '--kube-version', '1.34.0'];
    const values = files.flatMap(file => ['--values', file]);
    const { stdout } = await runFile(helm, [...args, ...values], { timeout: LIMIT_MS, maxBuffer: OUTPUT_BYTES });
    return { objects: objectsOf(stdout), findings: [] };
  } catch (error) {
    return { objects: [], findings: refusals(error, helmFaults) };
  } finally {
    await rm(dir, { recursive: true });
  }
}

const objectsOf = (text: string): Manifest[] => parse(text).filter(Boolean);

/** Returns the faults in a program's message. Throws an error without a message, because the program did not run. */
function refusals(error: unknown, faultsOf: (message: string) => string[]): Finding[] {
  const { stderr, killed } = error as { stderr?: string; killed?: boolean };
  if (!stderr?.trim() || killed) throw error;
  return faultsOf(stderr.trim()).map(fault);
}

/**
 * Returns kustomize's message about the overlay or a folder in it, in one line, with the cause if it is a known one.
 */
export function kustomizeFaults(message: string, folder = ''): string[] {
  const words = `kustomize refuses ${folder || 'the overlay'}: ${message.replace(/^Error: /, '').replace(/\s*\n\s*/g, ' ')}`;
  // The component `doctor` copies the names of the Secrets from variables, but `no-variables` has already removed them.
  const isLate = /(?:_HEADERS|KAFKA_USERNAME)\S* is missing for replacement source/.test(message);
  return [isLate ? `${words}: list the component doctor in the overlay that no-variables changes.` : words];
}

/** Returns advice for a value that the schema refuses without a reason. */
function adviceFor(words: string): string {
  const [, digits] = /\/port': '(\d+)' does not match pattern/.exec(words) ?? [];
  if (digits) return `: the port is a text: write ${digits} without quotes`;
  const [, name] = /\/settings\/(\w+)': false schema$/.exec(words) ?? [];
  return name ? `: ${name} is a secret: move it to the Secret of the workload` : '';
}

/** Returns Helm's sentences: one for each value that the schema refuses, or for each fault that the chart lists. */
export function helmFaults(message: string): string[] {
  const ofSchema = [...message.matchAll(/^ *- (at '.*)$/gm)].map(([, words]) => `values: ${words}${adviceFor(words!)}`);
  if (ofSchema.length > 0) return ofSchema;
  const [, words = message] = /execution error at \([^)]*\): ([\s\S]+)$/.exec(message) ?? [];
  const lines = words.replace(/^Error: /, '').replace(/\n+Use --debug flag.*$/s, '');
  return lines
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean);
}
