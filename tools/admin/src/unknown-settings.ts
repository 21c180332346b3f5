import { ConfigError } from '@recording-request/kit/config';
import names from './setting-names.json' with { type: 'json' };

const PREFIX = 'SETTING_';
const NEAR = 2;
const known = new Set(names);

/**
 * Fails with a ConfigError when `env` names a setting that does not exist. In Kubernetes, the Job `migrate` gets every
 * entry of the ConfigMap a second time, as `SETTING_…`. Without this prefix, it could not distinguish a misspelt
 * setting from other environment variables.
 */
export function refuseUnknownSettings(env: NodeJS.ProcessEnv): void {
  const given = Object.keys(env)
    .filter(name => name.startsWith(PREFIX))
    .map(name => name.slice(PREFIX.length));
  // Ignores variables that Node itself reads, such as NODE_OPTIONS.
  const unknown = given.filter(name => !known.has(name) && !name.startsWith('NODE_'));
  if (unknown.length > 0) throw new ConfigError(unknown.map(fault));
}

function fault(name: string): string {
  const near = names.filter(each => distance(each, name) <= NEAR);
  const meant =
    near.length > 0 ? `; ${near.length > 1 ? 'similar ones are' : 'a similar one is'} ${near.join(', ')}` : '';
  return `no program reads a setting ${name}: docs/settings.md and docs/telemetry.md list all${meant}`;
}

/** Returns the number of letters to change, add or remove that turn one word into the other. */
export function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
