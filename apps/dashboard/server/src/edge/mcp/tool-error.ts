/** A refusal of a tool. The message is for the assistant that called it: what is wrong, and what to do. */
export class ToolError extends Error {}
