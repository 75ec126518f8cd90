import { Empty } from "../ui/empty";
import { Page } from "./page";

/** Shown for an unknown address. */
export function Nowhere() {
  return (
    <Page title="Not found">
      <Empty title="There is nothing at this address">
        <a href="/">Start a new chat</a>
      </Empty>
    </Page>
  );
}
