import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheRoot } from '@recording-request/stack/install/cache';

/** The address of the lab's node: programs beside the cluster listen on it, and pods reach it. */
export const NODE_ADDRESS = '10.123.0.1';
export const NODE_NAME = 'lab';
/** The address of the per-node DNS cache of some clusters. */
export const DNS_ADDRESS = '169.254.20.10';
/** An address that represents the internet. It is from a range reserved for documentation, so it is neither private nor in use. */
export const OUTSIDE_ADDRESS = '203.0.113.1';
/** The address of a cloud's metadata server, which returns the node's credentials. */
export const METADATA_ADDRESS = '169.254.169.254';
export const SERVICE_RANGE = '10.96.0.0/16';
/** The first address of the range: the API server's Service. */
export const API_SERVICE = '10.96.0.1';
export const POD_RANGE = '10.124.0.0/16';
export const NODE_POD_RANGE = '10.124.0.0/24';

/** The folders of the lab. `kept` is reused by later runs. */
export interface Place {
  kept: string;
  /** The files of this run: state of the node and its servers, keys, logs. */
  run: string;
  state: string;
  keys: string;
  logs: string;
}

/** The folder of scripts and sources other than TypeScript. */
export const LAB_FILES = fileURLToPath(new URL('../../lab', import.meta.url));

/** Returns the lab's folders: the folders below `run`, and the reused folder. */
export function placeIn(run: string, env: NodeJS.ProcessEnv): Place {
  return {
    kept: join(cacheRoot(env), 'k8s-lab'),
    run,
    state: join(run, 'state'),
    keys: join(run, 'keys'),
    logs: join(run, 'logs'),
  };
}

/** Returns the path of the administrator's kubeconfig. */
export const kubeconfigIn = ({ keys }: Pick<Place, 'keys'>): string => join(keys, 'admin.kubeconfig');
