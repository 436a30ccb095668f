/** What the settings of an upstream or a face are made of, also for plugins. */
export { connectionShape } from "./settings-table.ts";
export { count, duration, onOff, size, text, texts, word } from "./value-kinds.ts";
