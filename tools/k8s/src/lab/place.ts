import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheRoot } from '@recording-request/stack/install/cache';

/** The address of the lab's node. Programs beside the cluster listen on it, and pods can reach it. */
export const NODE_ADDRESS = '10.123.0.1';
export const NODE_NAME = 'lab';
/** The address that some clusters use for the DNS cache of each node. */
export const DNS_ADDRESS = '169.254.20.10';
/**
 * An address that represents the internet. It is in a range reserved for documentation, so it is neither private nor in
 * use.
 */
export const OUTSIDE_ADDRESS = '203.0.113.1';
/** The address of a cloud's metadata server, which returns the node's credentials. */
export const METADATA_ADDRESS = '169.254.169.254';
export const SERVICE_RANGE = '10.96.0.0/16';
/** The address of the API server's Service, which is the first address of the range. */
export const API_SERVICE = '10.96.0.1';
export const POD_RANGE = '10.124.0.0/16';
export const NODE_POD_RANGE = '10.124.0.0/24';
/** The node's address in that range, from which it connects to its pods. */
export const POD_GATEWAY = '10.124.0.1';

/** The folders of the lab. Later runs reuse `kept`. */
export interface Place {
  kept: string;
  /** The files of this run: the state of the node and its servers, keys and logs. */
  run: string;
  state: string;
  keys: string;
  logs: string;
}

/** The folder of the lab's scripts and sources that are not TypeScript. */
export const LAB_FILES = fileURLToPath(new URL('../../lab', import.meta.url));

/** Returns the lab's folders: the folders of this run are below `run`; later runs reuse `kept`. */
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
