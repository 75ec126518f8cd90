import { Button } from "./button";
import { RefreshIcon, WarningIcon } from "./icons";

/** An error, shown where it occurred. */
export function Failed({ problem, again }: { problem: string; again?: () => void }) {
  return (
    <div class="failed" role="alert">
      <WarningIcon />
      <p>{problem}</p>
      {again && (
        <Button icon={<RefreshIcon />} onClick={again}>
          Try again
        </Button>
      )}
    </div>
  );
}
