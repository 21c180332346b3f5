import { type Dispatcher, Pool } from 'undici';

/** Sends requests over persistent connections, and reads answers without storing them. */
export interface LoadClient extends AsyncDisposable {
  /** Resolves to the bytes of the body; rejects unless the answer has the status `wanted`, by default 200. */
  get(path: string, headers: Record<string, string>, wanted?: number): Promise<number>;
  /** Resolves at the first bytes of the body and closes the request; rejects unless the answer is 200. */
  open(path: string, headers: Record<string, string>): Promise<void>;
}

const LIMIT_MS = 30_000;

/** Opens at most `connections` to `origin`, one request at a time on each. */
export function openLoadClient(origin: string, connections: number): LoadClient {
  const pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: LIMIT_MS, bodyTimeout: LIMIT_MS });
  return {
    get: (path, headers, wanted = 200) => {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      let [status, bytes] = [0, 0];
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart() {},
        onResponseStart(_, statusCode) {
          status = statusCode;
        },
        onResponseData(_, chunk) {
          bytes += chunk.length;
        },
        onResponseEnd() {
          if (status === wanted) resolve(bytes);
          else reject(new Error(`${origin} answered ${status}.`));
        },
        onResponseError(_, error) {
          reject(error);
        },
      };
      pool.dispatch({ method: 'GET', path, headers }, handler);
      return promise;
    },
    open: (path, headers) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      pool.dispatch(
        { method: 'GET', path, headers },
        {
          onRequestStart() {},
          onResponseStart(controller, status) {
            if (status !== 200) controller.abort(new Error(`${origin} answered ${status}.`));
          },
          onResponseData(controller) {
            resolve();
            controller.abort(new Error('enough'));
          },
          onResponseEnd: () => resolve(),
          onResponseError: (_, error) => reject(error),
        },
      );
      return promise;
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}
