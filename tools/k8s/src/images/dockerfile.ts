export interface Stage {
  name: string;
  /** The stage or the image that this stage extends. */
  from: string;
  /** The instructions of this stage, each on one line, without comments. */
  instructions: string[];
}

/** Parses the stages and instructions of a Dockerfile. */
export function stagesOf(text: string): Stage[] {
  const lines = text.replace(/^\s*#.*\n/gm, '').replace(/\s*\\\n\s*/g, ' ');
  const stages: Stage[] = [];
  for (const line of lines.split('\n')) {
    const [, from, name] = /^FROM (\S+)(?: AS (\S+))?$/.exec(line) ?? [];
    if (from) stages.push({ name: name ?? '', from, instructions: [] });
    else if (line) stages.at(-1)?.instructions.push(line);
  }
  return stages;
}

/** Returns the instructions of a stage, after the instructions of the stages that it extends. */
export function instructionsOf(stages: Stage[], name: string): string[] {
  const stage = stages.find(each => each.name === name);
  return stage ? [...instructionsOf(stages, stage.from), ...stage.instructions] : [];
}
