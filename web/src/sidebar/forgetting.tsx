import { ForgetDialog } from "../memory/forget-dialog";
import { forgetting } from "../state/panels";

/** The dialog to erase a conversation in the trash. It outlives the row in which that was chosen. */
export function Forgetting() {
  const close = () => {
    forgetting.value = null;
  };
  return <ForgetDialog what={forgetting.value} onClose={close} onForgotten={() => undefined} />;
}
