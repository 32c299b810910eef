const MARKDOWN =
  /^(?:#{1,6} |[-*+] |\d+[.)] |> |```)\S?|\*\*[^*\s][^*\n]*\*\*|\[[^\]\n]+\]\((?:https?:|mailto:|\/)[^)\s]+\)|`[^`\n]+`/m;

/** Whether a text contains signs of Markdown. */
export const isMarkdown = (text: string): boolean => MARKDOWN.test(text);
