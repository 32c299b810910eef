/** Problem of a source, an option or a file; its message is meant for the user of the command. */
export class AdoptError extends Error {}
