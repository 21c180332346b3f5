import { fileURLToPath } from 'node:url';
import { Application } from 'typedoc';

const FOLDER = fileURLToPath(new URL('../../../clients/typescript/', import.meta.url));

/**
 * Writes the reference of the TypeScript client into a folder, as HTML. Fails if a public name has no description, or if
 * a description has a broken link.
 */
export async function writeReference(out: string): Promise<void> {
  const app = await Application.bootstrap({
    name: '@recording-request/client',
    entryPoints: ['src/index.ts', 'src/files.ts'].map(file => `${FOLDER}${file}`),
    tsconfig: `${FOLDER}tsconfig.build.json`,
    readme: `${FOLDER}README.md`,
    // Excludes the generated types, because the description of the API documents them.
    exclude: ['**/types.gen.ts'],
    excludeExternals: true,
    excludeInternal: true,
    disableSources: true,
    treatWarningsAsErrors: true,
    validation: { notExported: false, invalidLink: true, notDocumented: true },
    requiredToBeDocumented: ['Class', 'Function', 'Interface', 'Method'],
    logLevel: 'Warn',
  });
  const project = await app.convert();
  if (project) app.validate(project);
  if (!project || app.logger.hasErrors() || app.logger.hasWarnings())
    throw new Error('TypeDoc found the errors above.');
  await app.generateDocs(project, out);
}
