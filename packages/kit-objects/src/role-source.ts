/** Temporary credentials of a role. */
export interface RoleCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
  expiration?: Date | undefined;
}

/** The origin of a role's credentials. */
export interface RoleSource {
  request(): Promise<RoleCredentials>;
  /** Returns whether an error of `request` lasts until an operator changes something. */
  isRefusal(error: unknown): boolean;
  /** Returns the sentence for such an error. */
  refused(reason: string): string;
}

const REQUEST_MS = 3_000;
const TRIES = 2;

// Only a process with a role loads this large library.
const library = () => import('@aws-sdk/credential-providers');

/**
 * Returns the origin that the environment names: a web identity token (EKS, or another issuer), the agent of a container
 * (EKS Pod Identity, ECS), or otherwise the instance's metadata. `region` is the region of the token service if
 * AWS_REGION is not set.
 */
export function roleSource(region: string, env = process.env): RoleSource {
  if (env.AWS_WEB_IDENTITY_TOKEN_FILE) return ofToken(env.AWS_REGION || region, env.AWS_WEB_IDENTITY_TOKEN_FILE);
  const uri = ['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI', 'AWS_CONTAINER_CREDENTIALS_FULL_URI'].find(name => env[name]);
  return uri ? ofContainer(uri) : ofInstance;
}

function ofToken(region: string, file: string): RoleSource {
  const requestHandler = {
    ...{ connectionTimeout: REQUEST_MS, requestTimeout: REQUEST_MS },
    // Makes a timeout an error; without this option, the library only logs a warning.
    throwOnRequestTimeout: true,
  };
  return {
    async request() {
      const { fromTokenFile } = await library();
      return await fromTokenFile({ clientConfig: { region, maxAttempts: TRIES, requestHandler } })();
    },
    isRefusal(error) {
      const { $fault, $retryable, name, code } = error as Record<string, unknown>;
      if (/^(ENOENT|EACCES)$/.test(String(code))) return true;
      return $fault === 'client' && !$retryable && !/Throttl/.test(String(name));
    },
    refused: reason =>
      /^(ENOENT|EACCES)/.test(reason)
        ? `AWS_WEB_IDENTITY_TOKEN_FILE names ${file}, which cannot be read (${reason}).`
        : `The token service refuses the role in AWS_ROLE_ARN (${reason}): its trust policy must allow this service account.`,
  };
}

const ofContainer = (variable: string): RoleSource => ({
  async request() {
    const { fromHttp } = await library();
    return await fromHttp({ timeout: REQUEST_MS / 3, maxRetries: TRIES - 1 })();
  },
  isRefusal: error => /status: 4(?!29)\d\d/.test((error as Error).message),
  refused: reason =>
    `The agent at ${variable} has no role for this pod (${reason}): associate a role with its service account.`,
});

const ofInstance: RoleSource = {
  async request() {
    const { fromInstanceMetadata } = await library();
    return await fromInstanceMetadata({ timeout: REQUEST_MS / 3, maxRetries: TRIES - 1 })();
  },
  // The usual cause: the service account of the pod has no role, so the pod got none of the variables.
  isRefusal: () => true,
  refused: reason =>
    `S3_CREDENTIALS is role, but neither AWS_ROLE_ARN with AWS_WEB_IDENTITY_TOKEN_FILE nor AWS_CONTAINER_CREDENTIALS_FULL_URI is set, and the instance has no role (${reason}): give the service account a role, then replace the pod.`,
};
