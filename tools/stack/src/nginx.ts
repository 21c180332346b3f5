import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/**
 * Writes the configuration of an nginx; `http` are the lines of its `http` block. Returns the arguments that run nginx
 * in the foreground. All files of this nginx are in `folder`, because the default paths belong to the system.
 */
export async function nginxArgs(folder: string, http: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'nginx.conf');
  await writeFile(
    file,
    `daemon off;
worker_processes auto;
pid ${folder}/nginx.pid;
events { worker_connections 4096; }
http {
${TEMPORARY.map(name => `  ${name}_temp_path ${folder}/${name};`).join('\n')}
${http}
}
`,
  );
  return ['-p', folder, '-c', file, '-e', 'stderr'];
}
