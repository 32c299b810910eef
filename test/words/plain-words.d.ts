export function problemsOf(
  text: string,
  about?: { readonly isBoolean?: boolean; readonly forReaders?: boolean },
): string[];
