import type { Loss } from "../losses.ts";
import type { Io, NewFile } from "./io.ts";
import type { Progress } from "./progress.ts";
import { isColoured, lossLines, lossText, type Place } from "./report.ts";

export const lossForms = ["text", "json", "none"] as const;
export type LossForm = (typeof lossForms)[number];

/** What a command says beside its result: on standard error, and the losses also in a file. */
export interface Messages {
  say(text: string): Promise<void>;
  losses(losses: readonly Loss[], place: Place): Promise<void>;
}

export interface MessageOptions {
  readonly form: LossForm;
  readonly lossesFile: NewFile | undefined;
  readonly progress: Progress;
}

export function createMessages(io: Io, { form, lossesFile, progress }: MessageOptions): Messages {
  const say = async (text: string) => {
    if (text === "") return;
    await progress.clear();
    await io.stderr.write(text);
  };
  return {
    say,
    async losses(losses, place) {
      await lossesFile?.write(lossLines(losses, place));
      if (form === "text") await say(lossText(losses, place, isColoured(io)));
      if (form === "json") await say(lossLines(losses, place));
    },
  };
}
