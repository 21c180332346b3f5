import { join } from 'node:path';
import type { Manifest } from '@recording-request/k8s/manifests';
import type { Overlay } from './overlay.ts';

/** A set of objects that replaces the previous set. */
export interface VersionStep {
  /** The version that runs after this step, in the words of an operator. */
  what: string;
  objects: Manifest[];
  /** True if the objects are from the previous version. */
  isBefore?: boolean;
  /** True if the migration of this version runs first. */
  migrates?: boolean;
}

/** The installation of the previous version, and its replacements in order. */
export interface VersionPlan {
  before: VersionStep;
  steps: VersionStep[];
}

/**
 * Returns three steps: from the version whose sources are in `previous` to this version, back, and to this version
 * again.
 */
export async function versionSteps(overlay: Overlay, previous: string): Promise<VersionPlan> {
  const base = join(previous, 'deploy/k8s/base');
  const before = {
    what: 'the previous version',
    objects: await overlay('overlay-previous', { base, tag: 'previous' }),
    isBefore: true,
  };
  const first = { what: 'this version', objects: await overlay('overlay-now'), migrates: true };
  return { before, steps: [first, before, first] };
}
