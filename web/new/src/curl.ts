/** Returns a text as one word of a POSIX shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns the creation of a project as a shell command. The command reads the token from a variable. */
export function creationCommand(baseUrl: string, body: object, idempotencyKey: string): string {
  return [
    `curl --fail-with-body ${quoted(`${baseUrl}/api/projects`)}`,
    '-H "Authorization: Bearer $RECORDING_TOKEN"',
    `-H ${quoted(`Idempotency-Key: ${idempotencyKey}`)}`,
    "-H 'Content-Type: application/json'",
    `-d ${quoted(JSON.stringify(body, undefined, 2))}`,
  ].join(' \\\n  ');
}
