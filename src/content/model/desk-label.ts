/** Returns the option for the name of an attribute at the desk, in its languages. */
export const called = (en: string, de: string) => ({ desk: { label: { en, de } } });
