import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheRoot } from '@recording-request/stack/install/cache';

/** The address of the lab's node: what runs beside the cluster listens there, and pods reach it. */
export const NODE_ADDRESS = '10.123.0.1';
export const NODE_NAME = 'lab';
/** Where clusters with a DNS cache on each node have it. */
export const DNS_ADDRESS = '169.254.20.10';
/** Stands for the internet: of a range that is kept for documentation, so neither private nor anybody's. */
export const OUTSIDE_ADDRESS = '203.0.113.1';
/** Where clouds answer for credentials of the node. */
export const METADATA_ADDRESS = '169.254.169.254';
export const SERVICE_RANGE = '10.96.0.0/16';
/** The first of the range: the API server has it as a Service. */
export const API_SERVICE = '10.96.0.1';
export const POD_RANGE = '10.124.0.0/16';
export const NODE_POD_RANGE = '10.124.0.0/24';

/** The folders of the lab. What is in `kept` stays between runs. */
export interface Place {
  kept: string;
  /** Of this run: state of the node and its servers, keys, logs. */
  run: string;
  state: string;
  keys: string;
  logs: string;
}

/** The scripts and sources that are no TypeScript. */
export const LAB_FILES = fileURLToPath(new URL('../../lab', import.meta.url));

/** Returns the folders below `run`, and the one that is kept. */
export function placeIn(run: string, env: NodeJS.ProcessEnv): Place {
  return {
    kept: join(cacheRoot(env), 'k8s-lab'),
    run,
    state: join(run, 'state'),
    keys: join(run, 'keys'),
    logs: join(run, 'logs'),
  };
}

/** The credentials of an administrator. */
export const kubeconfigIn = ({ keys }: Pick<Place, 'keys'>): string => join(keys, 'admin.kubeconfig');
