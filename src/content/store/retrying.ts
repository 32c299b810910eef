/** Repeats transactions that the database has rolled back. */
const ATTEMPTS = 5;

/** Waits at most 20 ms before the second attempt, and at most twice as long before each further one. */
const pause = (attempt: number): Promise<void> =>
  new Promise((done) => setTimeout(done, Math.random() * 10 * 2 ** attempt));

/** Runs `attempt` again while it throws errors that `again` accepts. Throws the error of the last attempt. */
export async function retrying<T>(attempt: () => Promise<T>, again: (error: unknown) => boolean): Promise<T> {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (count >= ATTEMPTS || !again(error)) throw error;
      await pause(count);
    }
  }
}
