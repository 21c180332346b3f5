/** A stage of a Dockerfile. */
export interface Stage {
  name: string;
  /** The stage or image that it starts from. */
  from: string;
  /** Its instructions, each on one line, without comments. */
  instructions: string[];
}

/** Parses a Dockerfile as far as its stages and instructions. */
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

/** Returns the instructions that an image has of a stage, those of the stages that it starts from first. */
export function instructionsOf(stages: Stage[], name: string): string[] {
  const stage = stages.find(each => each.name === name);
  return stage ? [...instructionsOf(stages, stage.from), ...stage.instructions] : [];
}
