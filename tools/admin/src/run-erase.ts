import { DomainError } from '@recording-request/kit/errors';
import type { EraseCommand } from './command.ts';
import { type EraseServices, erase } from './erase.ts';
import { type Removed, removedLines, removedNothing, removedValue } from './removed.ts';
import type { Report } from './run.ts';
import { type Kind, unknownId } from './unknown.ts';

/** The command did not do its task; the message says what to do. */
export class NotDone extends Error {}

export interface Terminal {
  /** Asks the operator a question; undefined when there is no terminal. */
  ask: ((question: string) => Promise<string>) | undefined;
  show(line: string): void;
}

/**
 * Shows the data to be erased, asks for confirmation unless --yes was given, and erases. Fails with DomainErrors or NotDone.
 */
export async function runErase(services: EraseServices, command: EraseCommand, terminal: Terminal): Promise<Report> {
  try {
    return await askAndErase(services, command, terminal);
  } catch (error) {
    if (!(error instanceof DomainError && error.code === 'not_found')) throw error;
    const unknown = await unknownId(services, kindOf(command), command.id);
    throw unknown ? new NotDone(unknown) : error;
  }
}

async function askAndErase(services: EraseServices, command: EraseCommand, terminal: Terminal): Promise<Report> {
  const what = `${kindOf(command)} ${command.id}`;
  if (command.dryRun) {
    const would = await erase(services, command, true);
    return {
      lines: [...shown(would, `${what}: this would be erased`)],
      value: { dryRun: true, ...removedValue(would) },
    };
  }
  if (!command.yes) {
    const would = await erase(services, command, true);
    for (const line of shown(would, `${what}: this will be erased`)) terminal.show(line);
    const answer = await terminal.ask?.('Type "erase" to erase it: ');
    if (answer === undefined) throw new NotDone('Nothing was erased: add --yes.');
    if (answer.trim() !== 'erase') throw new NotDone('Nothing was erased.');
  }
  const removed = removedNothing();
  await erase(services, command, false, removed).catch(error => {
    const soFar = Object.values(removed.counts).some(count => count > 0);
    if (soFar) for (const line of shown(removed, `${what}: this is erased, the rest is not`)) terminal.show(line);
    throw error;
  });
  return { lines: shown(removed, `${what} is erased`), value: { dryRun: false, ...removedValue(removed) } };
}

const kindOf = ({ name }: EraseCommand) => name.replace('erase ', '') as Kind;

function shown(removed: Removed, title: string): string[] {
  const before = removed.erasedBeforeAt;
  return [`${title}${before ? ` (it was erased before, on ${before.toISOString()})` : ''}`, ...removedLines(removed)];
}
