import { ForgetDialog } from "../memory/forget-dialog";
import { forgetting } from "../state/panels";

/** Asks about a conversation of the trash that is to go for good. It outlives the row in which that was chosen. */
export function Forgetting() {
  const close = () => {
    forgetting.value = null;
  };
  return <ForgetDialog what={forgetting.value} onClose={close} onForgotten={() => undefined} />;
}
