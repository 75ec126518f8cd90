/** Follows work that goes on after its request was answered. */
import { getJob } from "../api/data";
import type { Job } from "../api/types";

const FIRST_WAIT = 100;
const LONGEST_WAIT = 1000;

/** Tells each state of a job until it is over, or nobody wants to know any more. */
export async function followed(job: Job, tell: (job: Job) => void, signal: AbortSignal): Promise<void> {
  let wait = FIRST_WAIT;
  tell(job);
  while (job.state === "running" && !signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(wait * 1.5, LONGEST_WAIT);
    job = await getJob(job.id);
    if (!signal.aborted) {
      tell(job);
    }
  }
}
