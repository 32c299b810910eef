const MARKDOWN =
  /^(?:#{1,6} |[-*+] |\d+[.)] |> |```)\S?|\*\*[^*\s][^*\n]*\*\*|\[[^\]\n]+\]\((?:https?:|mailto:|\/)[^)\s]+\)|`[^`\n]+`/m;

/** Whether a text is written in Markdown, as far as its signs tell. */
export const isMarkdown = (text: string): boolean => MARKDOWN.test(text);
