/** Loads a package of this folder, which need not be installed for the rest of the repository to be checked. */
export const load: (name: string) => Promise<any>;
export const require: (name: string) => any;
